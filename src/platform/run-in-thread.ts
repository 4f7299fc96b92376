import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { ThreadTask } from './thread-entry.ts'

const defaultProcessorMs = 10_000
/** For a thread that waits for something, or gets no processor at all. */
const longestMs = 5 * 60_000
const pollMs = 250
const maxMemoryMb = 1024
/** A thread may need many times the memory of its input, so many requests must not start many threads. */
const maxThreads = 3

type Work = (...args: never[]) => unknown

/** A module whose functions run in threads: a few at a time, and further work waits in line. */
type ThreadModule<Exports> = {
  href: string
  processorMs: number
  running: number
  waiting: (() => void)[]
  /** Never set: it only carries the type. */
  exports?: Exports
}

export function threadModule<Exports extends object>(
  url: URL,
  processorMs = defaultProcessorMs,
): ThreadModule<Exports> {
  return { href: url.href, processorMs, running: 0, waiting: [] }
}

/**
 * Runs slow work in a thread of its own: webhooks must be accepted meanwhile, and work that exhausts memory ends only its thread. The
 * arguments and the result are copied. Throws if the function throws, and a `ThreadLimit` if it takes too much processor time or
 * memory. The time that others take on a busy machine does not count.
 */
export async function runInThread<Exports, Name extends keyof Exports & string>(
  module: ThreadModule<Exports>,
  name: Name,
  args: Exports[Name] extends Work ? Parameters<Exports[Name]> : never,
): Promise<Exports[Name] extends Work ? Awaited<ReturnType<Exports[Name]>> : never> {
  if (module.running < maxThreads) module.running++
  else await new Promise<void>((resolve) => module.waiting.push(resolve))
  try {
    return (await runThread({ module: module.href, name, args }, module.processorMs)) as never // what the function gave
  } finally {
    const next = module.waiting.shift()
    if (next) next()
    else module.running--
  }
}

/** The work was given up. The message is for people. */
export class ThreadLimit extends Error {}

async function runThread(task: ThreadTask, processorMs: number): Promise<unknown> {
  const worker = new Worker(new URL('./thread-entry.ts', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
    stdout: false,
  })
  const ended = new AbortController()
  const answer = once(worker, 'message', {
    signal: AbortSignal.any([ended.signal, AbortSignal.timeout(longestMs)]),
  })
  try {
    const [result] = await Promise.race([answer, watch(worker, processorMs, ended.signal)])
    return result
  } catch (cause) {
    const isMemory = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
    throw isMemory ? new ThreadLimit(`more than ${maxMemoryMb / 1024} GB of memory`, { cause }) : cause
  } finally {
    answer.catch(() => undefined)
    ended.abort()
    await worker.terminate()
  }
}

/** Ends only by throwing: once the thread has used up its time, or with `signal`. */
async function watch(worker: Worker, processorMs: number, signal: AbortSignal): Promise<never> {
  for (;;) {
    await pause(pollMs, undefined, { signal })
    // Asked while the thread ends, there is no number; its answer or its error is on the way.
    const used = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }))
    if ((used.user + used.system) / 1000 > processorMs)
      throw new ThreadLimit(`more than ${processorMs / 1000} seconds of processor time`)
  }
}
