import { setTimeout as pause } from 'node:timers/promises'

/** A pause between batches, so that requests come first. */
const pauseMs = 10

/** Splits background work into small transactions. `step` returns how many it did; fewer than `size` means that it is done. */
export async function inBatches(
  size: number,
  step: (limit: number) => Promise<number>,
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted && (await step(size)) === size) await pause(pauseMs)
}
