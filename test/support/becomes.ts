import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

/** Waits until `read` gives the expected value: what is read at once may be outdated. The limit only ends a failing test. */
export async function becomes<T>(read: () => T | Promise<T>, expected: T, words?: string): Promise<void> {
  const deadline = performance.now() + 120_000
  let found = await read()
  while (!isDeepStrictEqual(found, expected) && performance.now() < deadline) {
    await pause(50)
    found = await read()
  }
  assert.deepEqual(found, expected, words)
}
