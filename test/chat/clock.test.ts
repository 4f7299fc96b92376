import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { sql } from 'kysely'
import { takeConnection } from '../../src/chat/delivery/sockets/store.ts'
import { recordFailure } from '../../src/chat/workspaces/store.ts'
import type { ChannelId, WorkspaceId } from '../../src/shared/ids.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { discordToken, startDiscord } from './support/start-discord.ts'
import { startPlatformScene } from './support/start-platform-scene.ts'
import { startSlackScene } from './support/start-slack-scene.ts'

const dayMs = 86_400_000

async function withClock<T>(off: number, act: () => Promise<T>): Promise<T> {
  mock.timers.enable({ apis: ['Date'], now: Date.now() + off })
  try {
    return await act()
  } finally {
    mock.timers.reset()
  }
}

for (const [says, off] of [
  ['ahead', dayMs],
  ['behind', -dayMs],
] as const) {
  verifies(
    ['jobs:wake-up', 'chat:workspace-health'],
    `a reply to a workspace that refuses our token is tried again within a minute where our clock is a day ${says}`,
    async () => {
      await using scene = await startSlackScene()
      const webhook = await scene.createWebhook({ channelId: scene.channel.id })
      scene.slack.fault = () => ({ error: 'token_revoked' })
      const waits = async () => {
        const { rows } = await sql<{ seconds: number }>`
          select extract(epoch from start_after - now())::float8 as seconds from jobs.job
          where name = 'reply.post' and state = 'created'`.execute(scene.app.app.ctx.db)
        return rows[0]?.seconds
      }
      await withClock(off, async () => {
        await scene.ring(webhook)
        await until(async () => (await waits()) !== undefined)
        const seconds = (await waits()) ?? 0
        assert.ok(seconds > 0 && seconds <= 60, `${seconds} s`)
      })
    },
  )
}

async function startDiscordPost() {
  await using stack = new AsyncDisposableStack()
  const scene = stack.use(
    await startPlatformScene(
      startDiscord,
      ({ origin, publicKey }) => ({
        platform: 'discord',
        botToken: discordToken,
        applicationId: '99',
        publicKey,
        apiUrl: `${origin}/api/v10/`,
      }),
      () => ({ text: 'Fine.' }),
    ),
  )
  const discord = scene.platform
  const { chat, db } = scene.app.app.ctx
  const channelId = (await scene.channel('500')).id as ChannelId // the server gives ids of channels
  const post = () => chat.post({ channelId, threadId: null, text: 'Once.', key: 'run_1' })
  discord.fault = ({ method }) => (method === 'POST' ? 'lose-answer' : null)
  await assert.rejects(post())
  discord.fault = () => null
  await sql`update workspaces set paused_until = null`.execute(db)
  const opened = stack.move()
  // Not those of the connection over which Discord sends its events.
  const calls = () => discord.calls.filter(({ path }) => path.startsWith('channels/'))
  return { db, calls, post, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

verifies(
  'chat:outbound-idempotent',
  'a message that may have been posted an hour ago is searched for before it is sent again, even if our clock is a day behind',
  async () => {
    await using scene = await startDiscordPost()
    await sql`update message_parts set attempted_at = attempted_at - interval '1 hour', leased_until = null`.execute(
      scene.db,
    )
    const before = scene.calls().length
    await withClock(-dayMs, scene.post)
    assert.equal(scene.calls()[before]?.path, 'channels/500/messages?limit=100')
  },
)

verifies(
  'chat:outbound-idempotent',
  'a message that may have been posted before the database’s clock was set back is found, and not sent again',
  async () => {
    await using scene = await startDiscordPost()
    await sql`update message_parts set attempted_at = attempted_at + interval '1 hour', leased_until = null`.execute(
      scene.db,
    )
    const before = scene.calls().length
    await scene.post()
    const after = scene.calls().slice(before)
    assert.equal(after[0]?.path, 'channels/500/messages?limit=100')
    assert.equal(after.filter(({ method }) => method === 'POST').length, 0)
  },
)

verifies(
  'chat:outbound-idempotent',
  'after the database’s clock was set back, a message that a dead worker was sending waits no longer than any other',
  async () => {
    await using scene = await startDiscordPost()
    await sql`
      update message_parts set attempted_at = now() + interval '1 hour', leased_until = now() + interval '1 hour'`.execute(
      scene.db,
    )
    await assert.rejects(scene.post(), { fault: 'unavailable' })
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from leased_until - now())::float8 as seconds from message_parts`.execute(scene.db)
    const seconds = rows[0]?.seconds ?? Number.NaN
    assert.ok(seconds > 0 && seconds <= 60, `${seconds} s`)
  },
)

verifies(
  ['chat:workspace-health', 'chat:inbound-durable'],
  'after the database’s clock was set back, a workspace is paused no longer than it should be, and a dead process holds its connection no longer than any other',
  async () => {
    await using scene = await startSlackScene()
    const { db } = scene.app.app.ctx
    const id = scene.workspace.id as WorkspaceId // the server gives ids of this kind
    await sql`
      update workspaces set failures = 1, paused_until = now() + interval '1 hour', last_error_at = now() + interval '1 hour'
      where id = ${id}`.execute(db)
    const { status } = await scene.app.get<{ status: string }>(`/api/v1/workspaces/${id}`)
    assert.equal(status, 'connected')
    await recordFailure(db, id, 'down')
    await sql`
      insert into standing_connections (workspace_id, holder, held_until)
      values (${id}, 'dead', now() + interval '1 hour')`.execute(db)
    // Its holder may be alive, and has the usual time to say so.
    assert.equal(await takeConnection(db, id, 'heir'), false)
    const { rows } = await sql<{ paused: number; held: number }>`
      select extract(epoch from paused_until - now())::float8 as paused, extract(epoch from held_until - now())::float8 as held
      from workspaces join standing_connections on workspace_id = id where id = ${id}`.execute(db)
    const { paused = Number.NaN, held = Number.NaN } = rows[0] ?? {}
    assert.ok(paused > 0 && paused <= 60 && held > 0 && held <= 10, `${paused} s, ${held} s`)
    await sql`update standing_connections set held_until = now() - interval '1 second'`.execute(db)
    assert.equal(await takeConnection(db, id, 'heir'), true)
  },
)
