import assert from 'node:assert/strict'
import { faultPoints, waitingPoints } from '../../support/fault-points.ts'
import { strikeRun } from '../../support/strike-run.ts'
import { verifies } from '../../support/verifies.ts'

for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
  for (const point of [...faultPoints, ...waitingPoints]) {
    verifies(
      ['runs:journal', 'runs:one-worker', 'runs:no-repeated-write', 'runs:outbox'],
      `${signal} at ${point}: one reply, no repeated write`,
      async () => {
        const { run, replies, writes } = await strikeRun(point, signal)
        assert.deepEqual([run.status, run.reply?.text], ['succeeded', 'Paid back.'])
        assert.equal(replies.length, 1)
        assert.equal(writes, 1)
      },
    )
  }
}
