import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { sql } from 'kysely'
import { incrementRevision } from '../../src/connectors/manage/store.ts'
import { advanceRun } from '../../src/runs/loop/advance-run.ts'
import type { RunId } from '../../src/shared/ids.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startGate, startGateOn } from '../support/start-gate.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type Gate = Awaited<ReturnType<typeof startGate>>
type Answer = { result: { content: { text: string }[]; _meta: Record<string, string> } }
type Run = { status: string; error: { code: string } | null; toolCalls: { state: string }[] }

const refund = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'shop__refund', arguments: { id: 'A-1' } },
}

async function callRefund({ app }: Gate, waitSeconds = 0): Promise<Answer['result']> {
  const headers = { accept: 'application/json, text/event-stream', prefer: `wait=${waitSeconds}` }
  const { text } = await app.api('POST', '/mcp', refund, { headers })
  const answer = JSON.parse(text.replace(/^[\s\S]*?data: /, '')) as Answer // what the protocol says
  return answer.result
}

async function readRun({ app }: Gate, id: string) {
  const { status, error, toolCalls } = await app.get<Run>(`/api/v1/runs/${id}`)
  return [status, error?.code ?? null, toolCalls[0]?.state]
}

const { signal } = new AbortController()

verifies(
  ['mcp:served', 'runs:one-worker'],
  'a process that lost a call over /mcp to another worker does not change how that one ended its run',
  async () => {
    const held = Promise.withResolvers<void>()
    await using gate = await startGate({ env: { ROLE: 'web' } }, async (_request, response) => {
      await held.promise
      response.setHeader('content-type', 'application/json').end('{"ok":true}')
    })
    await sql`update tools set permission = 'auto' where name = 'refund'`.execute(gate.ctx.db)
    await incrementRevision(gate.ctx.db)
    const asked = callRefund(gate)
    await until(() => gate.target.seen.length === 1)
    const { rows } = await sql<{ id: RunId }>`
      update runs set lease_until = now() - interval '1 second' returning id`.execute(gate.ctx.db)
    const runId = rows[0]?.id as RunId // the call made it
    await advanceRun(gate.app.app.ctx, runId, signal)
    const ended = ['failed', 'outcome_unknown', 'unknown']
    assert.deepEqual(await readRun(gate, runId), ended)
    held.resolve()
    // The client is told what the target said, and the run stays as it was.
    assert.equal((await asked).content[0]?.text, '{"ok":true}')
    assert.deepEqual(await readRun(gate, runId), ended)
    assert.equal(gate.target.seen.length, 1)
  },
)

verifies(
  'mcp:served',
  'a call over /mcp that was approved and has no answer yet is not asked for and sent again when the client repeats it',
  async () => {
    const held: ServerResponse[] = []
    await using gate = await startGateOn(await sharedApp(), (_request, response) => void held.push(response))
    const approvals = async () => (await gate.app.get<{ items: unknown[] }>('/api/v1/approvals')).items.length
    const before = await approvals()
    const asked = await callRefund(gate)
    assert.match(asked.content[0]?.text ?? '', /has not been sent yet/)
    const approvalId = asked._meta['bellhop/approvalId'] ?? ''
    await gate.decide(approvalId, 'approve')
    await until(() => held.length === 1)

    const again = await callRefund(gate)
    assert.equal(again._meta['bellhop/approvalId'], approvalId)
    assert.match(again.content[0]?.text ?? '', /This call was approved. It was sent/)
    assert.doesNotMatch(again.content[0]?.text ?? '', /has not been sent yet/)
    assert.equal(await approvals(), before + 1)

    held[0]?.setHeader('content-type', 'application/json').end('{"refunded":3}')
    await until(async () => (await readRun(gate, again._meta['bellhop/runId'] ?? ''))[0] === 'succeeded')
    assert.equal(gate.target.seen.length, 1)
  },
)

verifies(
  ['mcp:served', 'runs:no-repeated-write'],
  'a call over /mcp that fails at every try ends after five tries, and nothing is sent',
  async () => {
    await using gate = await startGate({ env: { ROLE: 'web' } })
    const { _meta } = await callRefund(gate)
    const runId = _meta['bellhop/runId'] as RunId // what the answer says
    await gate.decide(_meta['bellhop/approvalId'] ?? '', 'approve')
    // As if somebody had altered it in the database: the connector's credential does not open with its key.
    await sql`update connectors set auth_value = auth_value || 'AAAA'`.execute(gate.ctx.db)
    await incrementRevision(gate.ctx.db)
    for (let tries = 1; tries < 5; tries++) {
      await assert.rejects(advanceRun(gate.app.app.ctx, runId, signal))
      assert.equal((await readRun(gate, runId))[0], 'running')
    }
    await advanceRun(gate.app.app.ctx, runId, signal)
    assert.deepEqual(await readRun(gate, runId), ['failed', 'internal_error', 'refused'])
    assert.equal(gate.target.seen.length, 0)
  },
)

verifies(
  ['mcp:served', 'runs:cancel'],
  'a client that waits for an approval is told at once when its run is cancelled',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const asked = callRefund(gate, 30)
    const pending = () => gate.app.get<{ items: { runId: string }[] }>('/api/v1/approvals?status=pending')
    await until(async () => (await pending()).items.length === 1)
    const runId = (await pending()).items[0]?.runId ?? ''
    await gate.app.api('POST', `/api/v1/runs/${runId}/cancel`)
    assert.match((await asked).content[0]?.text ?? '', /approval_void: The run ended before this was sent/)
    assert.deepEqual(await readRun(gate, runId), ['cancelled', 'cancelled', 'refused'])
  },
)
