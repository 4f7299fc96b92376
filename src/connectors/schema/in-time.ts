import { createContext, Script } from 'node:vm'

type Done<T> = { done: true; value: T } | { done: false }

const desk: { work?: () => unknown } = createContext({})
const script = new Script('work()')
/** Of the outermost one that is under way, by the clock of this thread: a pattern is tested inside of a schema. */
let overAt = Number.POSITIVE_INFINITY
/** On the wall clock, since this thread serves nobody meanwhile: after this no further attempt begins. */
const patienceMs = (timeoutMs: number) => Math.max(2_000, 2 * timeoutMs)
/** A little longer than the work may take, so that on a machine with time for us one attempt tells. */
const slack = 1.2

/**
 * Does something on this thread that might take for ever, and gives up after so much of the thread's own time: also where it calls itself
 * too often. What took long only because others had the processor is begun again, with more patience, so it must be something that can be
 * left half done. For the rest use a thread of its own.
 */
export function inTime<T>(timeoutMs: number, work: () => T): Done<T> {
  const outerOverAt = overAt
  const givenUpAt = performance.now() + patienceMs(timeoutMs)
  try {
    for (let attempt = 0; attempt === 0 || performance.now() < givenUpAt; attempt++) {
      const begun = threadMs()
      overAt = Math.min(outerOverAt, begun + timeoutMs)
      if (begun >= overAt) break
      desk.work = work
      const tried = attemptWithin<T>(Math.ceil((overAt - begun) * slack) * 2 ** attempt)
      if (threadMs() >= overAt) break
      if (tried !== 'interrupted') return tried
    }
    return { done: false }
  } finally {
    overAt = outerOverAt
    delete desk.work
  }
}

function attemptWithin<T>(timeout: number): Done<T> | 'interrupted' {
  try {
    // The script gives what `work` gives.
    return { done: true, value: script.runInContext(desk, { timeout }) as T }
  } catch (error) {
    if (error instanceof RangeError) return { done: false }
    if (codeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'interrupted'
    throw error
  }
}

/** How long this thread has been at work since it began. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The error of a time-out is of the other context's kind. */
function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : null
}
