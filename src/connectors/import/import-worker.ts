import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import type { ImportOrder, ImportResult } from './import-apart.ts'
import { importCurl } from './import-curl.ts'
import { importOpenapi } from './import-openapi.ts'
import { DocumentError } from './read-document.ts'

/** The work of the thread that import-apart.ts starts. */
export function importWorker({ kind, text, sourceUrl }: ImportOrder): ImportResult {
  try {
    return { ok: true, preview: kind === 'curl' ? importCurl(text) : importOpenapi(text, sourceUrl) }
  } catch (error) {
    if (error instanceof DocumentError) return { ok: false, message: error.message }
    throw error
  }
}

// The thread that started this one wrote exactly this shape.
if (!isMainThread) parentPort?.postMessage(importWorker(workerData as ImportOrder))
