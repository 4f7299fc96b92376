import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

/** Compares once the page has had its time: what is read at once may be of a moment ago. The limit only ends a test that fails. */
export async function becomes<T>(read: () => T | Promise<T>, expected: T, words?: string): Promise<void> {
  const deadline = performance.now() + 30_000
  let found = await read()
  while (!isDeepStrictEqual(found, expected) && performance.now() < deadline) {
    await pause(50)
    found = await read()
  }
  assert.deepEqual(found, expected, words)
}
