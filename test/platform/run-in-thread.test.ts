import assert from 'node:assert/strict'
import { runInThread } from '../../src/platform/run-in-thread.ts'
import { verifies } from '../support/verifies.ts'
import type { countThreads } from './count-threads.ts'

verifies(
  'house:bounded-threads',
  'however many tasks arrive at once, one thread does them in turn, and a failing one blocks no other',
  async () => {
    const file = new URL('./count-threads.ts', import.meta.url)
    /** The current number of threads and the highest so far. */
    const counts = new Int32Array(new SharedArrayBuffer(8))
    const orders = ['a', 'b', 'fail', 'c'].map((name) =>
      runInThread<typeof countThreads>(file, 'countThreads', [name, counts]),
    )
    const results = await Promise.allSettled(orders)
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed')),
      ['a', 'b', 'failed', 'c'],
    )
    assert.equal(counts[1], 1)
  },
)
