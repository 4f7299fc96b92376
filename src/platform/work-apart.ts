import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

const usualTimeoutMs = 30_000
const maxMemoryMb = 1024

/**
 * Lets a thread of its own do what takes long: webhooks must be accepted meanwhile, and an order made to exhaust memory takes only
 * its thread along. `file` posts one message, the result. Throws where it takes too long or too much.
 */
export async function workApart<Result>(
  file: URL,
  order: unknown,
  timeoutMs = usualTimeoutMs,
): Promise<Result> {
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
