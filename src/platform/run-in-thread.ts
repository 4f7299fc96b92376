import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ThreadTask } from './thread-entry.ts'

const defaultTimeoutMs = 10_000
const maxMemoryMb = 1024
/** A thread may need many times the memory of its input, so many requests must not start many threads. */
const maxThreads = 3

type Work = (...args: never[]) => unknown

/** A module whose functions run in threads: a few at a time, and further work waits in line. */
type ThreadModule<Exports> = {
  href: string
  timeoutMs: number
  running: number
  waiting: (() => void)[]
  /** Never set: it only carries the type. */
  exports?: Exports
}

export function threadModule<Exports extends object>(
  url: URL,
  timeoutMs = defaultTimeoutMs,
): ThreadModule<Exports> {
  return { href: url.href, timeoutMs, running: 0, waiting: [] }
}

/**
 * Runs slow work in a thread of its own: webhooks must be accepted meanwhile, and work that exhausts memory ends only its thread. The
 * arguments and the result are copied. Throws if the function throws, or takes too much time or memory.
 */
export async function runInThread<Exports, Name extends keyof Exports & string>(
  module: ThreadModule<Exports>,
  name: Name,
  args: Exports[Name] extends Work ? Parameters<Exports[Name]> : never,
): Promise<Exports[Name] extends Work ? Awaited<ReturnType<Exports[Name]>> : never> {
  if (module.running < maxThreads) module.running++
  else await new Promise<void>((resolve) => module.waiting.push(resolve))
  try {
    return (await runThread({ module: module.href, name, args }, module.timeoutMs)) as never // what the function gave
  } finally {
    const next = module.waiting.shift()
    if (next) next()
    else module.running--
  }
}

async function runThread(task: ThreadTask, timeoutMs: number): Promise<unknown> {
  const worker = new Worker(new URL('./thread-entry.ts', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
    stdout: false,
  })
  try {
    const [result] = await once(worker, 'message', { signal: AbortSignal.timeout(timeoutMs) })
    return result
  } finally {
    await worker.terminate()
  }
}
