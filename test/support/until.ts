import { setTimeout as pause } from 'node:timers/promises'

/** Waits for a condition instead of for a time. The limit only ends a test that would hang. */
export async function until(holds: () => boolean | Promise<boolean>, limitMs = 30_000): Promise<void> {
  const deadline = performance.now() + limitMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited ${limitMs} ms in vain for: ${holds}`)
    await pause(10)
  }
}
