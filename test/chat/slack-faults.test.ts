import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { ChatError } from '../../src/chat/chat.ts'
import type { Workspace } from '../../src/chat/workspaces/contract.ts'
import { sweepRuns } from '../../src/runs/loop/sweep-runs.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { botUserId, type Fault, slackMessage } from './support/start-slack.ts'
import { startSlackScene, startSlackSceneOn } from './support/start-slack-scene.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

/** Each happens once, at the first attempt to post. */
const faults: Record<string, Fault> = {
  'posted, answer lost': 'lose-answer',
  'posted, error of a gateway': 'error-after',
  'not posted, no answer': 'lose-request',
  'not posted, error of the server': 'server-error',
  'not posted, told to wait': { retryAfter: 1 },
  'neither an answer nor an end': 'hang',
}

for (const [name, fault] of Object.entries(faults)) {
  verifies(
    ['chat:outbound-idempotent', 'chat:outbound-rate-limits'],
    `one event, one reply in the channel, even if the first try fails like this: ${name}`,
    async () => {
      await using scene = await startSlackSceneOn(await sharedApp(), () => ({ text: 'Paid.' }))
      let failed = 0
      scene.slack.fault = ({ method }) => (method === 'chat.postMessage' && failed++ === 0 ? fault : null)
      const webhook = await scene.createWebhook({ channelId: scene.channel.id })
      const run = await scene.endedRun((await scene.sendEvent(webhook)).runId)

      assert.equal(run.status, 'succeeded')
      assert.ok(failed > 0)
      const history = await scene.slack.history(scene.ops)
      assert.deepEqual(
        history.map(({ text }) => text),
        ['Paid.'],
      )
      assert.match(run.reply?.permalink ?? '', new RegExp((history[0]?.ts ?? '').replace('.', '')))
    },
  )
}

verifies(
  'chat:outbound-idempotent',
  'a process that dies after Slack took the message leaves no second one behind',
  async () => {
    await using scene = await startSlackScene()
    scene.slack.fault = ({ method }) => (method === 'chat.postMessage' ? 'lose-answer' : null)
    const post = { channelId: scene.channel.id, threadId: null, text: 'Once.', key: 'run_1' }
    await assert.rejects(scene.app.app.ctx.chat.post(post), (error: unknown) => {
      assert.ok(error instanceof ChatError)
      return error.fault === 'unavailable' && error.retryAfter !== null
    })
    scene.slack.fault = () => null
    await using replica = await startTestApp({
      databaseUrl: scene.app.databaseUrl,
      env: { EGRESS_PRIVATE_EXCEPTIONS: scene.slack.pair },
    })
    const { chat, db } = replica.app.ctx
    // The time to wait for it is made longer than a replica takes to start, and then restored.
    const shift = (hours: number) =>
      sql`update message_parts set leased_until = leased_until + make_interval(hours => ${hours}::int)
        where leased_until > attempted_at returning part`.execute(db)
    assert.equal((await shift(1)).rows.length, 1)
    const tries = await Promise.allSettled([chat.post(post), chat.post(post)])
    assert.ok(
      tries.every(({ status }) => status === 'rejected'),
      'nobody looks before it had time to arrive',
    )
    await shift(-1)
    await until(async () => (await chat.post(post).catch(() => null)) !== null)

    assert.equal((await scene.slack.history(scene.ops)).length, 1)
    assert.equal(scene.slack.callsOf('chat.postMessage').length, 1)
  },
)

verifies(
  'chat:outbound-idempotent',
  'a message that more newer ones follow than can be searched counts as ambiguous, and is not posted again',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp(), () => ({ text: 'Paid.' }))
    const page = { ok: true, messages: [], response_metadata: { next_cursor: 'more' } } as const
    scene.slack.fault = ({ method }) => {
      if (method === 'chat.postMessage') return 'lose-answer'
      return method === 'conversations.history' ? page : null
    }
    const webhook = await scene.createWebhook({ channelId: scene.channel.id })
    const run = await scene.endedRun((await scene.sendEvent(webhook)).runId)
    assert.equal(run.error?.code, 'reply_ambiguous')
    assert.match(run.error?.message ?? '', /not all can be searched/)
    assert.equal(scene.slack.callsOf('chat.postMessage').length, 1)
    assert.equal(scene.slack.callsOf('conversations.history').length, 20)
  },
)

verifies(
  'chat:outbound-rate-limits',
  'after a Retry-After, nothing is sent to the workspace until then',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp())
    const { chat } = scene.app.app.ctx
    scene.slack.fault = () => ({ retryAfter: 600 })
    const post = (key: string) => chat.post({ channelId: scene.channel.id, threadId: null, text: key, key })
    const before = Date.now()

    for (let n = 0; n < 20; n++) {
      await assert.rejects(post(`k${n}`), (error: unknown) => {
        assert.ok(error instanceof ChatError)
        return error.retryAfter instanceof Date && error.retryAfter.getTime() - before > 500_000
      })
    }

    assert.equal(scene.slack.calls.length, 1)
    const shown = await scene.app.get<Workspace>(`/api/v1/workspaces/${scene.workspace.id}`)
    assert.equal(shown.status, 'paused')
    assert.match(shown.lastError ?? '', /rate limiting/)
  },
)

verifies(
  ['chat:cards', 'chat:workspace-health'],
  'a part that somebody deleted on the platform does not block updates of the other parts, and is not an error',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp())
    const { chat } = scene.app.app.ctx
    const text = 'word '.repeat(3000)
    const { messageId } = await chat.post({ channelId: scene.channel.id, threadId: null, text, key: 'k' })
    scene.slack.fault = ({ method }) => (method === 'chat.update' ? { error: 'message_not_found' } : null)
    await chat.update(messageId, { text: 'b' })
    assert.equal(scene.slack.callsOf('chat.update').length, 2, 'each of the two parts')
    const shown = await scene.app.get<Workspace>(`/api/v1/workspaces/${scene.workspace.id}`)
    assert.deepEqual([shown.status, shown.lastError], ['connected', null])

    scene.slack.fault = ({ method }) => (method === 'chat.update' ? { retryAfter: 1 } : null)
    await assert.rejects(chat.update(messageId, { text: 'c' }), ChatError, 'what passes is tried again')
  },
)

verifies(
  ['chat:outbound-rate-limits', 'chat:outbound-idempotent'],
  'a storm of 429s and errors passes: every reply is in the channel once',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp(), ({ body }) => ({
      text: `Reply ${/\bn\\":(\d+)/.exec(body)?.[1]}`,
    }))
    // First three rate limits; then every other post fails in some way.
    const storm: (Fault | null)[] = [
      ...Array.from({ length: 3 }, () => ({ retryAfter: 1 })),
      'lose-answer',
      null,
      'error-after',
      null,
      'server-error',
      null,
      { retryAfter: 1 },
    ]
    let met = 0
    scene.slack.fault = ({ method }) => (method === 'chat.postMessage' ? (storm[met++] ?? null) : null)
    const webhook = await scene.createWebhook({ channelId: scene.channel.id })
    const rung = await Promise.all(Array.from({ length: 6 }, (_, n) => scene.sendEvent(webhook, { n })))
    for (const { runId } of rung) assert.equal((await scene.endedRun(runId)).status, 'succeeded')

    assert.ok(met >= storm.length, `${met} attempts`)
    const texts = (await scene.slack.history(scene.ops)).map(({ text }) => text)
    assert.deepEqual(
      texts.toSorted(),
      Array.from({ length: 6 }, (_, n) => `Reply ${n}`),
    )
  },
)

verifies(
  'chat:workspace-health',
  'a token that is refused at a post is shown as revoked at once',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp())
    scene.slack.fault = () => ({ error: 'token_revoked' })
    const { chat } = scene.app.app.ctx
    const post = chat.post({ channelId: scene.channel.id, threadId: null, text: 'Hello', key: 'k' })
    await assert.rejects(post, ChatError)
    const shown = await scene.app.get<Workspace>(`/api/v1/workspaces/${scene.workspace.id}`)
    assert.equal(shown.status, 'revoked')
    assert.notEqual(shown.lastError, null)
  },
)

verifies('chat:outbound-rate-limits', 'a platform that hangs delays nothing elsewhere', async () => {
  await using scene = await startSlackScene(() => ({ text: 'Here.' }))
  scene.slack.fault = ({ method }) => (method === 'chat.postMessage' ? 'hang' : null)
  const away = await scene.createWebhook({ name: 'Away', channelId: scene.channel.id })
  const here = await scene.createWebhook({ name: 'Here' })

  for (let n = 0; n < 12; n++) await scene.sendEvent(away, { n })
  const run = await scene.endedRun((await scene.sendEvent(here)).runId)

  assert.equal(run.status, 'succeeded')
  assert.equal((await scene.slack.history(scene.ops)).length, 0)
  scene.slack.fault = () => null
  scene.slack.hangUp()
})

verifies(
  ['runs:outbox', 'chat:outbound-idempotent'],
  'while a platform is down, the sweep does not touch a waiting reply, and retries one whose job was lost',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp(), () => ({ text: 'Paid.' }))
    const { ctx } = scene.app.app
    scene.slack.fault = ({ method }) => (method === 'chat.postMessage' ? 'server-error' : null)
    const { runId } = await scene.sendEvent(await scene.createWebhook({ channelId: scene.channel.id }))
    const waiting = async () => {
      const { rows } = await sql<{ name: string }>`
        select name from jobs.job where name in ('run.advance', 'reply.post') and state = 'created' and data ->> 'runId' = ${runId}
      `.execute(ctx.db)
      return rows.map(({ name }) => name)
    }
    // Late enough that no worker takes it meanwhile.
    await until(async () => {
      const { rows } = await sql`
        update jobs.job set start_after = now() + interval '1 hour'
        where name = 'reply.post' and state = 'created' and data ->> 'runId' = ${runId} returning id`.execute(
        ctx.db,
      )
      return rows.length === 1
    })
    await sql`update runs set lease_until = now() - interval '1 minute' where id = ${runId}`.execute(ctx.db)
    await sweepRuns(ctx)
    assert.deepEqual(await waiting(), ['reply.post'])

    scene.slack.fault = () => null
    await sql`delete from jobs.job where data ->> 'runId' = ${runId} and state = 'created'`.execute(ctx.db)
    await sql`update workspaces set paused_until = null where id = ${scene.workspace.id}`.execute(ctx.db)
    await sweepRuns(ctx)
    assert.equal((await scene.endedRun(runId)).status, 'succeeded')
    assert.equal((await scene.slack.history(scene.ops)).length, 1)
  },
)

verifies('chat:outbound-idempotent', 'a refusal is final, and says what to do', async () => {
  await using scene = await startSlackSceneOn(await sharedApp(), () => ({ text: 'Paid.' }))
  scene.slack.fault = ({ method }) => (method === 'chat.postMessage' ? { error: 'not_in_channel' } : null)
  const webhook = await scene.createWebhook({ channelId: scene.channel.id })
  const run = await scene.endedRun((await scene.sendEvent(webhook)).runId)

  assert.equal(run.status, 'failed')
  assert.match(run.error?.message ?? '', /Invite it/)

  scene.slack.fault = ({ method }) => (method === 'chat.postMessage' ? { error: 'odd\0words' } : null)
  const odd = await scene.endedRun((await scene.sendEvent(webhook)).runId)
  assert.deepEqual([odd.status, odd.error?.code], ['failed', 'reply_refused'])
  assert.match(odd.error?.message ?? '', /odd␀words/)
})

verifies(
  ['chat:inbound-durable', 'chat:thread-order'],
  'events that are repeated, reordered and sent at once: every message is kept once, in its thread',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp(), () => ({ text: 'Fine.' }))
    const threads = ['1700000001.1', '1700000002.1', '1700000003.1']
    const events = threads.flatMap((root) => [
      { ts: root, text: `<@${botUserId}> begin ${root}` },
      { ts: root.replace('.1', '.2'), text: `more of ${root}`, thread_ts: root },
      { ts: root.replace('.1', '.3'), text: `last of ${root}`, thread_ts: root },
    ])
    const bodies = events.map((event) => slackMessage({ user: scene.kim, channel: scene.ops, ...event }))
    const shuffled = [...bodies, ...bodies, ...bodies].toSorted(() => Math.random() - 0.5)
    const answers = await Promise.all(shuffled.map((body) => scene.deliver(body)))
    assert.ok(answers.every(({ status }) => status === 200))

    await until(async () => {
      const all = await scene.runs()
      return all.length === events.length && all.every(({ status }) => status === 'succeeded')
    })
    for (const root of threads) {
      assert.equal((await scene.slack.replies(scene.ops, root)).length, 3)
    }
    const stored = await scene.app.get<{ items: { text: string; author: { kind: string } }[] }>(
      `/api/v1/channels/${scene.channel.id}/messages?limit=100`,
    )
    const said = stored.items.filter(({ author }) => author.kind === 'user').map(({ text }) => text)
    assert.equal(new Set(said).size, events.length)
    assert.equal(said.length, events.length)
  },
)

verifies(
  'runs:early-reply',
  'if the platform does not let the early message be edited any more, the final text follows in its thread',
  async () => {
    await using scene = await startSlackSceneOn(await sharedApp(), ({ body }) =>
      body.includes('tool_result')
        ? { text: 'Refunded A-1.' }
        : { text: 'Charged twice.', calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] },
    )
    const { runId } = await scene.sendEvent(await scene.createWebhook({ channelId: scene.channel.id }))
    const waiting = await scene.runWhen(runId, ({ status }) => status === 'waiting')
    scene.slack.fault = ({ method }) => (method === 'chat.update' ? { error: 'edit_window_closed' } : null)
    await scene.app.api('POST', `/api/v1/approvals/${waiting.toolCalls[0]?.approvalId}/approve`, {})
    const run = await scene.endedRun(runId)
    assert.deepEqual([run.status, run.reply?.text], ['succeeded', 'Refunded A-1.'])
    const [early] = await scene.slack.history(scene.ops)
    assert.match(early?.text ?? '', /^Charged twice\./)
    const thread = await scene.slack.replies(scene.ops, early?.ts ?? '')
    assert.equal(thread.filter(({ text }) => text === 'Refunded A-1.').length, 1)
  },
)
