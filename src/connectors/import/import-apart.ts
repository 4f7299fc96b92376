import { workApart } from '../../platform/work-apart.ts'
import type { ImportPreview } from '../contract.ts'

export type ImportOrder = { kind: 'openapi' | 'curl'; text: string; sourceUrl: string | null }
export type ImportResult = { ok: true; preview: ImportPreview } | { ok: false; message: string }

/** Reads a document in a thread of its own: large ones take seconds. */
export async function importApart(order: ImportOrder): Promise<ImportResult> {
  try {
    return await workApart<ImportResult>(new URL('./import-worker.ts', import.meta.url), order)
  } catch {
    return {
      ok: false,
      message: 'The document is too large or too complicated to be read. Try a smaller part of it.',
    }
  }
}
