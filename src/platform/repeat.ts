import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from './log.ts'

/**
 * Repeats something with a pause in between, never twice at once. A failure is logged, and the next turn comes. The signal is for
 * long work: it aborts on dispose.
 */
export function repeat(
  name: string,
  everyMs: number,
  log: Log,
  work: (signal: AbortSignal) => Promise<void>,
  firstAfterMs = 0,
): AsyncDisposable {
  const stopping = new AbortController()
  const turning = turn()

  async function turn(): Promise<void> {
    if (firstAfterMs > 0)
      await pause(firstAfterMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    while (!stopping.signal.aborted) {
      try {
        await work(stopping.signal)
      } catch (error) {
        if (!stopping.signal.aborted) log.warn({ err: error, name }, 'repeat.failed')
      }
      await pause(everyMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await turning
    },
  }
}
