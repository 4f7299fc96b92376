import assert from 'node:assert/strict'
import { startGate } from '../../support/start-gate.ts'
import { loopback, startTestApp } from '../../support/start-test-app.ts'
import { verifies } from '../../support/verifies.ts'

verifies(
  ['policies:cap', 'policies:across-replicas'],
  '1,000 parallel calls at 49.99 on two replicas never exceed the cap; the target counts',
  async () => {
    await using gate = await startGate({ env: loopback })
    await using second = await startTestApp({ databaseUrl: gate.app.databaseUrl, env: loopback })
    const created = await gate.app.api('POST', '/api/v1/policies', {
      name: 'Small refunds',
      tool: 'shop__refund',
      when: 'input.amount <= 50',
      then: 'auto',
      cap: { calls: 100, per: 'day', sum: { of: '/amount', max: 2000 } },
    })
    assert.equal(created.status, 201, created.text)
    const outcomes = await Promise.all(
      Array.from({ length: 1000 }, (_, at) =>
        gate.call(
          { name: 'shop__refund', input: { id: 'A-1', amount: 49.99 } },
          undefined,
          at % 2 === 0 ? gate.ctx : second.app.ctx,
        ),
      ),
    )
    // 40 × 49.99 is the most that fits in 2,000.
    assert.equal(outcomes.filter(({ kind }) => kind === 'answered').length, 40)
    assert.equal(gate.target.seen.length, 40)
  },
)
