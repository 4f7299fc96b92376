import type { ImportPreview } from '../contract.ts'
import { importCurl } from './curl/import-curl.ts'
import { importOpenapi } from './openapi/import-openapi.ts'
import { DocumentError } from './openapi/read-document.ts'

export type ImportOrder = { kind: 'openapi' | 'curl'; text: string; sourceUrl: string | null }
export type ImportResult = { ok: true; preview: ImportPreview } | { ok: false; message: string }

/** The text may not be a usable document; then the result says why. */
export function importDocument({ kind, text, sourceUrl }: ImportOrder): ImportResult {
  try {
    return { ok: true, preview: kind === 'curl' ? importCurl(text) : importOpenapi(text, sourceUrl) }
  } catch (error) {
    if (error instanceof DocumentError) return { ok: false, message: error.message }
    throw error
  }
}
