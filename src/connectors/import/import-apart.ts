import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ImportPreview } from '../contract.ts'

export type ImportOrder = { kind: 'openapi' | 'curl'; text: string; sourceUrl: string | null }
export type ImportResult = { ok: true; preview: ImportPreview } | { ok: false; message: string }

const timeoutMs = 30_000
const maxMemoryMb = 1024

/**
 * Reads a document in a thread of its own: large ones take seconds, during which webhooks must still be accepted, and one
 * made to exhaust memory takes only its thread along.
 */
export async function importApart(order: ImportOrder): Promise<ImportResult> {
  const worker = new Worker(new URL('./import-worker.ts', import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
    stdout: false,
  })
  try {
    // The worker posts one message, of this shape.
    const [result] = (await once(worker, 'message', { signal: AbortSignal.timeout(timeoutMs) })) as [
      ImportResult,
    ]
    return result
  } catch {
    return {
      ok: false,
      message: 'The document is too large or too complicated to be read. Try a smaller part of it.',
    }
  } finally {
    await worker.terminate()
  }
}
