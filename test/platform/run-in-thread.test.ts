import assert from 'node:assert/strict'
import { runInThread, ThreadLimit, threadModule } from '../../src/platform/run-in-thread.ts'
import { verifies } from '../support/verifies.ts'

function countingThreads(processorMs?: number) {
  const module = threadModule<typeof import('./count-threads.ts')>(
    new URL('./count-threads.ts', import.meta.url),
    processorMs,
  )
  /** The current number of threads, the highest so far, and whether slow work may end. */
  const counts = new Int32Array(new SharedArrayBuffer(12))
  return { counts, run: (name: string) => runInThread(module, 'countThreads', [name, counts]) }
}

verifies(
  'house:bounded-threads',
  'however many tasks arrive at once, three threads do them in turn, and a failing one blocks no other',
  async () => {
    const { counts, run } = countingThreads()
    const results = await Promise.allSettled(['a', 'b', 'fail', 'c', 'd', 'e', 'f'].map(run))
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed')),
      ['a', 'b', 'failed', 'c', 'd', 'e', 'f'],
    )
    assert.ok((counts[1] ?? 0) <= 3, `${counts[1]} threads at once`)
  },
)

verifies('house:bounded-threads', 'a slow task does not hold up the one behind it', async () => {
  const { counts, run } = countingThreads()
  const slow = run('slow')
  assert.equal(await run('next'), 'next')
  Atomics.store(counts, 2, 1)
  Atomics.notify(counts, 2)
  assert.equal(await slow, 'slow')
})

verifies(
  'house:bounded-threads',
  'work ends at its processor time, and the time in which it waits does not count',
  async () => {
    const { counts, run } = countingThreads(500)
    const slow = run('slow')
    // A busy one ends meanwhile, so the slow one has waited at least as long.
    for (let turn = 0; turn < 2; turn++)
      await assert.rejects(
        run('busy'),
        (error) => error instanceof ThreadLimit && /0\.5 seconds of processor/.test(error.message),
      )
    Atomics.store(counts, 2, 1)
    Atomics.notify(counts, 2)
    assert.equal(await slow, 'slow')
  },
)
