import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { startGate } from '../support/start-gate.ts'
import { testApiKey } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'mcp:served',
  'a call over /mcp that was approved and has no answer yet is not asked for and sent again when the client repeats it',
  async () => {
    const held: ServerResponse[] = []
    await using gate = await startGate({}, (_request, response) => void held.push(response))
    const refund = async () => {
      const answer = await fetch(`${gate.app.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${testApiKey}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          prefer: 'wait=0',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'shop__refund', arguments: { id: 'A-1', amount: 3 } },
        }),
      })
      return await answer.text()
    }
    const approvalIn = (text: string) => /apr_[\w-]+/.exec(text)?.[0] ?? ''
    const asked = await refund()
    assert.match(asked, /has not been sent yet/)
    await gate.decide(approvalIn(asked), 'approve')
    await until(() => held.length === 1)

    const again = await refund()
    assert.equal(approvalIn(again), approvalIn(asked))
    assert.match(again, /An admin approved this call. It was sent/)
    assert.doesNotMatch(again, /has not been sent yet/)
    const { items } = await gate.app.get<{ items: unknown[] }>('/api/v1/approvals')
    assert.equal(items.length, 1)

    held[0]?.setHeader('content-type', 'application/json').end('{"refunded":3}')
    const run = `/api/v1/runs/${/run_[\w-]+/.exec(again)?.[0]}`
    await until(async () => (await gate.app.get<{ status: string }>(run)).status === 'succeeded')
    assert.equal(gate.target.seen.length, 1)
  },
)
