import assert from 'node:assert/strict'
import type { JSONWebKeySet } from 'jose'
import type { z } from 'zod'
import type { receiptShape } from '../../src/tools/receipts/contract.ts'
import type { ReceivedRequest } from '../../src/tools/receipts/verify-receipt.ts'
import { startGateOn } from '../support/start-gate.ts'
import type { TestApp } from '../support/start-test-app.ts'

export type Receipt = z.output<typeof receiptShape>

/** A shop whose connector signs what was approved. */
export async function startSigningShop(app: TestApp) {
  await using stack = new AsyncDisposableStack()
  const gate = stack.use(await startGateOn(app))
  const switched = await app.api<{ signRequests: boolean }>(
    'PATCH',
    `/api/v1/connectors/${gate.connectorId}`,
    {
      signRequests: true,
    },
  )
  assert.deepEqual([switched.status, switched.body.signRequests], [200, true], switched.text)
  const opened = stack.move()
  return {
    ...gate,
    /** Asks, approves, sends, and returns what the target received. */
    async approved(asked: Parameters<typeof gate.ask>[0]) {
      const { callId, approval } = await gate.ask(asked)
      assert.equal((await gate.decide(approval.id, 'approve')).status, 200)
      await gate.call(asked, callId)
      const seen = gate.target.seen.at(-1)
      assert.ok(seen)
      const request: ReceivedRequest = {
        method: seen.method,
        url: `${gate.target.origin}${seen.url}`,
        headers: Object.fromEntries(
          Object.entries(seen.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
        ),
        body: Buffer.from(seen.body),
      }
      return { approval, callId, request }
    },
    keys: () => app.get<JSONWebKeySet>('/.well-known/jwks.json'),
    receiptOf: (id: string) => app.get<Receipt>(`/api/v1/approvals/${id}/receipt`),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
