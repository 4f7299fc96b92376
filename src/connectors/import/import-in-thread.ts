import { runInThread, threadModule } from '../../platform/run-in-thread.ts'
import type { ImportOrder, ImportResult } from './import-document.ts'

const timeoutMs = 30_000
const inThread = threadModule<typeof import('./import-document.ts')>(
  new URL('./import-document.ts', import.meta.url),
  timeoutMs,
)

/** Reads a document in its own thread: large ones take seconds. */
export async function importInThread(order: ImportOrder): Promise<ImportResult> {
  try {
    return await runInThread(inThread, 'importDocument', [order])
  } catch {
    return {
      ok: false,
      message: 'The document is too large or too complicated to be read. Try a smaller part of it.',
    }
  }
}
