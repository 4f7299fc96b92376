/**
 * `counts` has the current number of threads and the highest so far. Work called `slow` goes on until the third number is set, and
 * `busy` never ends.
 */
export function countThreads(name: string, counts: Int32Array): string {
  const atWork = Atomics.add(counts, 0, 1) + 1
  if (atWork > Atomics.load(counts, 1)) Atomics.store(counts, 1, atWork)
  while (name === 'busy') Atomics.load(counts, 0)
  // Otherwise long enough for others to start, if that were possible.
  Atomics.wait(counts, 2, 0, name === 'slow' ? undefined : 50)
  Atomics.sub(counts, 0, 1)
  if (name === 'fail') throw new Error('as ordered')
  return name
}
