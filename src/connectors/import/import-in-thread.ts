import { runInThread } from '../../platform/run-in-thread.ts'
import type { ImportOrder, ImportResult, importDocument } from './import-document.ts'

const module = new URL('./import-document.ts', import.meta.url)

/** Reads a document in its own thread: large ones take seconds. */
export async function importInThread(order: ImportOrder): Promise<ImportResult> {
  try {
    return await runInThread<typeof importDocument>(module, 'importDocument', [order])
  } catch {
    return {
      ok: false,
      message: 'The document is too large or too complicated to be read. Try a smaller part of it.',
    }
  }
}
