import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

const usualTimeoutMs = 30_000
const maxMemoryMb = 1024

/** Of each file, the end of the work that was ordered last. */
const lines = new Map<string, Promise<unknown>>()

/**
 * Lets a thread of its own do what takes long: webhooks must be accepted meanwhile, and an order made to exhaust memory takes only
 * its thread along. `file` posts one message, the result. Throws where it takes too long or too much.
 *
 * Each file has one thread at a time and the other orders wait in line: a thread may take many times the memory of its order, and
 * whoever sends many must not get as many of them.
 */
export function workApart<Result>(file: URL, order: unknown, timeoutMs = usualTimeoutMs): Promise<Result> {
  const before = lines.get(file.href) ?? Promise.resolve()
  const mine = before.then(() => runThread<Result>(file, order, timeoutMs))
  const end = mine.catch(() => undefined)
  lines.set(file.href, end)
  void end.then(() => lines.get(file.href) === end && lines.delete(file.href))
  return mine
}

async function runThread<Result>(file: URL, order: unknown, timeoutMs: number): Promise<Result> {
  const worker = new Worker(file, {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
    stdout: false,
  })
  try {
    // The caller knows what its file posts.
    const [result] = (await once(worker, 'message', { signal: AbortSignal.timeout(timeoutMs) })) as [Result]
    return result
  } finally {
    await worker.terminate()
  }
}
