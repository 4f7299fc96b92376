import { setTimeout as pause } from 'node:timers/promises'

/** `counts` has the current number of threads and the highest so far. */
export async function countThreads(name: string, counts: Int32Array): Promise<string> {
  const atWork = Atomics.add(counts, 0, 1) + 1
  if (atWork > Atomics.load(counts, 1)) Atomics.store(counts, 1, atWork)
  // Long enough for others to start, if that were possible.
  await pause(50)
  Atomics.sub(counts, 0, 1)
  if (name === 'fail') throw new Error('as ordered')
  return name
}
