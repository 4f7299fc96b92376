import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ThreadTask } from './thread-entry.ts'

const defaultTimeoutMs = 30_000
const maxMemoryMb = 1024

/** For each module, the end of the latest work. */
const queues = new Map<string, Promise<unknown>>()

/**
 * Runs slow work in a thread of its own: webhooks must be accepted meanwhile, and work that exhausts memory ends only its thread. `Work`
 * is the type of the function that `module` exports as `name`; its arguments and its result are copied. Throws if the function throws,
 * or takes too much time or memory.
 *
 * Each module has one thread at a time, and further work waits in line: a thread may need many times the memory of its input, so many
 * requests must not start many threads.
 */
export function runInThread<Work extends (...args: never[]) => unknown>(
  module: URL,
  name: string,
  args: Parameters<Work>,
  timeoutMs = defaultTimeoutMs,
): Promise<Awaited<ReturnType<Work>>> {
  const before = queues.get(module.href) ?? Promise.resolve()
  const mine = before.then(() => runThread({ module: module.href, name, args }, timeoutMs))
  const end = mine.catch(() => undefined)
  queues.set(module.href, end)
  void end.then(() => queues.get(module.href) === end && queues.delete(module.href))
  return mine as Promise<Awaited<ReturnType<Work>>> // what the function gave
}

async function runThread(order: ThreadTask, timeoutMs: number): Promise<unknown> {
  const worker = new Worker(new URL('./thread-entry.ts', import.meta.url), {
    workerData: order,
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
