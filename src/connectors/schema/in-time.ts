import { createContext, Script } from 'node:vm'

type Done<T> = { done: true; value: T } | { done: false }

const desk: { work?: () => unknown } = createContext({})
const script = new Script('work()')
/** Of the outermost one that is under way: a pattern is tested inside of a schema. */
let overAt = Number.POSITIVE_INFINITY

/**
 * Does something on this thread that might take for ever, and gives up after a while: also where it calls itself too often. For what
 * cannot be left half done use a thread of its own.
 */
export function inTime<T>(timeoutMs: number, work: () => T): Done<T> {
  const now = performance.now()
  if (now >= overAt) return { done: false }
  const outerOverAt = overAt
  overAt = Math.min(overAt, now + timeoutMs)
  desk.work = work
  try {
    // The script gives what `work` gives.
    const value = script.runInContext(desk, { timeout: Math.ceil(overAt - now) }) as T
    return { done: true, value }
  } catch (error) {
    if (error instanceof RangeError || codeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return { done: false }
    throw error
  } finally {
    overAt = outerOverAt
    delete desk.work
  }
}

/** The error of a time-out is of the other context's kind. */
function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : null
}
