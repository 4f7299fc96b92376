import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Channel } from '../../src/chat/contract.ts'
import { advanceRun } from '../../src/runs/loop/advance-run.ts'
import { postReply } from '../../src/runs/reply/post-reply.ts'
import type { RunId } from '../../src/shared/ids.ts'
import { startSlack } from '../chat/support/start-slack.ts'
import { connectSlack } from '../chat/support/start-slack-scene.ts'
import { autoTools } from '../support/interrupt-run.ts'
import { startService } from '../support/start-service.ts'
import { startShop } from '../support/start-shop.ts'
import { startTestApp, testEncryptionKey } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'chat:outbound-idempotent',
  'a process that is suspended while it posts, for longer than its lease, resumes and posts no second message',
  async () => {
    await using database = await createTestDatabase()
    await using slack = await startSlack()
    const env = { EGRESS_PRIVATE_EXCEPTIONS: slack.pair }
    await using other = await startTestApp({ databaseUrl: database.url, env: { ...env, ROLE: 'web' } })
    await using service = await startService({
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: testEncryptionKey,
      ...env,
    })
    // A suspended process does not react to SIGTERM.
    using _woken = { [Symbol.dispose]: () => void service.child.kill('SIGCONT') }
    const { ctx } = other.app
    await connectSlack(other, slack)
    const { items } = await other.get<{ items: Channel[] }>('/api/v1/channels?limit=100')
    const ops = items.find(({ name }) => name === 'ops')
    const { body: webhook } = await other.api<{ endpointUrl: string }>('POST', '/api/v1/webhooks', {
      name: 'Orders',
      channelId: ops?.id,
      prompt: 'Say what happened.',
      active: true,
    })

    // The first request is lost. Before the second one it checks whether the first has arrived, and while Slack answers
    // that nothing is there, it is suspended.
    let isFrozen = false
    slack.fault = ({ method }) => {
      if (method === 'chat.postMessage') return isFrozen ? null : 'lose-request'
      if (method !== 'conversations.history' || isFrozen) return null
      isFrozen = service.child.kill('SIGSTOP')
      return null
    }
    const rung = await fetch(webhook.endpointUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"order":"A-1"}',
    })
    const { runId } = (await rung.json()) as { runId: RunId } // the answer of the ingress
    await until(() => isFrozen)
    const posted = async () => (await slack.history(ops?.externalId ?? '')).length
    // Its lease has expired; another process looks for the message and posts it.
    await until(async () => {
      await sql`update message_parts set leased_until = now()`.execute(ctx.db)
      await postReply(ctx, runId)
      return (await posted()) === 1
    })
    const before = service.output().length
    service.child.kill('SIGCONT')
    await until(() => service.output().slice(before).includes('Another worker is posting this message'))
    assert.equal(await posted(), 1)
    assert.equal(slack.callsOf('chat.postMessage').length, 2)
    const run = await other.get<{ status: string; reply: { state: string } }>(`/api/v1/runs/${runId}`)
    assert.deepEqual([run.status, run.reply.state], ['succeeded', 'posted'])
  },
)

verifies(
  ['runs:one-worker', 'runs:no-repeated-write'],
  'a process that is suspended before the first byte of a write, for longer than its lease, resumes and does not send it',
  async () => {
    await using database = await createTestDatabase()
    await using model = await startStubAnthropic(({ body }) =>
      body.includes('tool_result')
        ? { text: 'Look there yourself.' }
        : { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] },
    )
    await using shop = await startShop({
      databaseUrl: database.url,
      tools: autoTools,
      env: { ...model.env, ROLE: 'web' },
    })
    const { ctx } = shop.app.app
    await using service = await startService({
      ...model.env,
      ROLE: 'worker',
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: testEncryptionKey,
      EGRESS_PRIVATE_EXCEPTIONS: shop.target.pair,
    })
    using _woken = { [Symbol.dispose]: () => void service.child.kill('SIGCONT') }
    const webhook = await shop.createWebhook()

    // Its note that it begins to send waits for a lock. It is suspended, and then the note is written.
    let runId = ''
    await ctx.db.transaction().execute(async (tx) => {
      await sql`lock table tool_calls in share mode`.execute(tx)
      runId = (await shop.sendEvent(webhook)).runId
      const isWaiting = sql`select from pg_locks where relation = 'tool_calls'::regclass and not granted`
      await until(async () => (await isWaiting.execute(ctx.db)).rows.length > 0)
      service.child.kill('SIGSTOP')
    })
    const [call] = (await shop.runWhen(runId, ({ toolCalls }) => toolCalls.length === 1)).toolCalls
    assert.equal(call?.state, 'sending')
    // As soon as its lease has expired, another process takes the run up.
    await until(async () => {
      await advanceRun(ctx, runId as RunId, new AbortController().signal) // the answer of the ingress
      return (await shop.readRun(runId)).toolCalls[0]?.state === 'unknown'
    })
    // It resumes, and cannot learn from the database yet that it has lost the run: the renewals of its lease wait for a lock.
    await ctx.db.transaction().execute(async (tx) => {
      await sql`lock table runs in share mode`.execute(tx)
      service.child.kill('SIGCONT')
      const renewals = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and query like '%update runs set lease_until%'`
      await until(async () => (await renewals.execute(ctx.db)).rows.length >= 2)
    })
    await until(() => /"outcome":"lost".*run\.advanced/.test(service.output()))
    assert.deepEqual(shop.target.seen, [])
  },
)
