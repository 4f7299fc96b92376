import { createContext, Script } from 'node:vm'

type Done<T> = { done: true; value: T } | { done: false }

const sandbox: { work?: () => unknown } = createContext({})
const script = new Script('work()')
/** The deadline in CPU time of this thread. Calls nest (a pattern is tested inside a schema), and the outer deadline also holds inside. */
let deadline = Number.POSITIVE_INFINITY
/** In wall-clock time, since this thread serves nobody meanwhile: after this no further attempt begins. */
const maxWallMs = (timeoutMs: number) => Math.max(2_000, 5 * timeoutMs)
/** Slightly longer than allowed, so that one attempt is enough when this thread has the processor to itself. */
const slack = 1.2

/**
 * Runs work on this thread that might never end, and stops it after `timeoutMs` of CPU time or a stack overflow. Work that was
 * slow only because other processes had the processor is started again with a longer timeout, so it must be safe to interrupt.
 * For other work use a thread of its own.
 */
export function runWithTimeout<T>(timeoutMs: number, work: () => T): Done<T> {
  const outerOverAt = deadline
  const givenUpAt = performance.now() + maxWallMs(timeoutMs)
  try {
    for (let attempt = 0; attempt === 0 || performance.now() < givenUpAt; attempt++) {
      const begun = threadMs()
      deadline = Math.min(outerOverAt, begun + timeoutMs)
      if (begun >= deadline) break
      sandbox.work = work
      const tried = attemptWithin<T>(Math.ceil((deadline - begun) * slack) * 2 ** attempt)
      if (threadMs() >= deadline) break
      if (tried !== 'interrupted') return tried
    }
    return { done: false }
  } finally {
    deadline = outerOverAt
    delete sandbox.work
  }
}

function attemptWithin<T>(timeout: number): Done<T> | 'interrupted' {
  try {
    // The script returns what `work` returns.
    return { done: true, value: script.runInContext(sandbox, { timeout }) as T }
  } catch (error) {
    if (error instanceof RangeError) return { done: false }
    if (codeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'interrupted'
    throw error
  }
}

/** CPU time of this thread since it began. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** A timeout error belongs to the other context, so `instanceof Error` would fail. */
function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : null
}
