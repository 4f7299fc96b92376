import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { ApprovalShape } from '../../src/approvals/contract.ts'
import type { Db } from '../../src/platform/db/database.ts'
import { newId, type RunId, type ToolCallId } from '../../src/shared/ids.ts'
import { failure } from '../../src/tools/call-failures.ts'
import { callTool } from '../../src/tools/call-tool.ts'
import { endToolCall } from '../../src/tools/store.ts'
import { askDuring } from '../support/ask-during.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { general, startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

/** The approval that a webhook's run requests in its channel. */
const asWebhook = {
  requester: { kind: 'webhook', id: 'hook_1', name: 'Orders' },
  ceiling: 'write',
  connectorIds: null,
  readsAcross: 'all',
  conversation: [],
  alongside: [],
  limitedBy: null,
  channelId: general,
  threadId: null,
} as const

async function startWaiting() {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(
    await startStubAnthropic([{ calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] }]),
  )
  const shop = stack.use(await startShopOn(await sharedApp(), { model }))
  const { runId } = await shop.sendEvent(await shop.createWebhook())
  const run = await shop.runWhen(runId, ({ status }) => status === 'waiting')
  const approvalId = run.toolCalls[0]?.approvalId
  const opened = stack.move()
  return {
    ...shop,
    ctx: shop.app.app.ctx,
    runId: runId as RunId, // the answer of the ingress
    approval: () => shop.app.get<ApprovalShape>(`/api/v1/approvals/${approvalId}`),
    approve: () => shop.app.api('POST', `/api/v1/approvals/${approvalId}/approve`, {}),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

verifies('approvals:void-with-run', 'a run that fails while it waits voids its approval', async () => {
  await using scene = await startWaiting()
  // Its model is no longer set up when the run continues.
  const { db, queue } = scene.ctx
  await sql`update runs set model_provider = 'google' where id = ${scene.runId}`.execute(db)
  await queue.send(db, 'run.advance', { runId: scene.runId }, { key: scene.runId })
  const run = await scene.endedRun(scene.runId)
  assert.deepEqual([run.status, run.error?.code], ['failed', 'model_not_set_up'])
  assert.equal((await scene.approval()).status, 'void')
  assert.equal((await scene.approve()).status, 409)
  assert.equal(scene.target.seen.length, 0)
})

verifies(
  'approvals:void-with-run',
  'a late worker requests and sends nothing for a cancelled run',
  async () => {
    await using scene = await startWaiting()
    const { ctx, runId } = scene
    const ask = () =>
      callTool(
        ctx,
        { ...asWebhook, callId: newId('toolCall'), runId, name: 'shop__refund', input: { id: 'A-2' } },
        new AbortController().signal,
      )
    assert.equal((await ask()).kind, 'waiting')
    assert.equal((await scene.app.api('POST', `/api/v1/runs/${runId}/cancel`)).status, 200)
    const late = await ask()
    assert.equal(late.kind === 'answered' && late.answer.error?.code, 'approval_void')
    const { items } = await scene.app.get<{ items: ApprovalShape[] }>(`/api/v1/approvals?runId=${runId}`)
    assert.deepEqual(
      items.map(({ status }) => status),
      ['void', 'void'],
    )

    // Nor does it send calls that need no approval.
    const path = `/api/v1/connectors/${scene.connectorId}`
    const { tools } = await scene.app.get<{ tools: { id: string; name: string }[] }>(path)
    const refund = tools.find(({ name }) => name === 'refund')
    const eased = await scene.app.api('PATCH', `${path}/tools/${refund?.id}`, { permission: 'auto' })
    assert.equal(eased.status, 200, eased.text)
    await assert.rejects(ask(), /under way in another worker/)
    assert.equal(scene.target.seen.length, 0)
  },
)

verifies(
  ['approvals:void-with-run', 'runs:cancel'],
  'an approval given before the cancel sends nothing after it',
  async () => {
    await using scene = await startWaiting()
    const { ctx, runId } = scene
    const { rows } = await sql<{ id: `call_${string}`; approvalId: string }>`
      select id, approval_id from tool_calls where run_id = ${runId}`.execute(ctx.db)
    const [call] = rows
    assert.ok(call)
    // The run is cancelled after the approval and before the woken worker acts.
    await sql`update approvals set status = 'approved' where id = ${call.approvalId}`.execute(ctx.db)
    assert.equal((await scene.app.api('POST', `/api/v1/runs/${runId}/cancel`)).status, 200)
    const late = await callTool(
      ctx,
      { ...asWebhook, callId: call.id, runId, name: 'shop__refund', input: { id: 'A-1' } },
      new AbortController().signal,
    )
    assert.equal(late.kind === 'answered' && late.answer.error?.code, 'approval_void')
    await scene.runWhen(runId, ({ reply }) => reply?.state === 'posted')
    assert.equal((await scene.replies()).length, 1)
    assert.equal(scene.target.seen.length, 0)
  },
)

verifies(
  ['runs:cancel', 'events:erase'],
  'a cancel at the same time as the reply is told that it is too late; a call that is answered while its run is erased stores nothing',
  async () => {
    await using scene = await startWaiting()
    const { ctx, runId } = scene
    const { db } = ctx
    const erased = (tx: Db) => sql`update runs set erased_at = now() where id = ${runId}`.execute(tx)
    const call = { runId, callId: newId('toolCall'), name: 'shop__get_order', input: { id: 'A-1' } }
    await askDuring(db, erased, () => callTool(ctx, { ...asWebhook, ...call }, new AbortController().signal))
    const { rows: waiting } = await sql<{ id: ToolCallId }>`
      select id from tool_calls where run_id = ${runId} and state = 'waiting'`.execute(db)
    assert.ok(waiting[0])
    const answer = { ...failure('denied', 'Late.'), body: 'Late.' }
    assert.equal(await endToolCall(db, waiting[0].id, 'waiting', 'answered', answer), false)
    const { rows } = await sql`
      select from tool_calls where run_id = ${runId} and response_body is not null`.execute(db)
    assert.equal(rows.length, 0)

    const replied = async (tx: Db) => {
      await sql`update runs set erased_at = null where id = ${runId}`.execute(tx)
      await sql`insert into replies (run_id, kind, text, state) values (${runId}, 'answer', 'Done.', 'pending')`.execute(
        tx,
      )
    }
    const late = await askDuring(db, replied, () => scene.app.api('POST', `/api/v1/runs/${runId}/cancel`))
    assert.deepEqual([late.status, late.body.type], [409, 'run-not-active'])
  },
)
