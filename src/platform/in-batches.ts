import { setTimeout as pause } from 'node:timers/promises'

/** Between two batches: whoever waits for an answer comes first. */
const breathMs = 10

/** Much work in small transactions that nobody has to wait for. `step` says how many it did; fewer than `size` are the last. */
export async function inBatches(
  size: number,
  step: (limit: number) => Promise<number>,
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted && (await step(size)) === size) await pause(breathMs)
}
