import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { sql } from 'kysely'
import type { ChannelId } from '../../src/shared/ids.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { discordConnection, startDiscord } from './support/start-discord.ts'
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
        await scene.sendEvent(webhook)
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
    await startPlatformScene(startDiscord, discordConnection, () => ({ text: 'Fine.' })),
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
