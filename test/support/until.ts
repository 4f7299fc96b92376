import { setTimeout as pause } from 'node:timers/promises'

/** Waits for a condition instead of a time. The limit only ends a test that would hang. */
export async function until(holds: () => boolean | Promise<boolean>, limitMs = 240_000): Promise<void> {
  const deadline = performance.now() + limitMs
  // Polling without pauses would take CPU time from what is waited for.
  for (let pauseMs = 5; !(await holds()); pauseMs = Math.min(pauseMs * 2, 200)) {
    if (performance.now() > deadline) throw new Error(`Waited ${limitMs} ms in vain for: ${holds}`)
    await pause(pauseMs)
  }
}
