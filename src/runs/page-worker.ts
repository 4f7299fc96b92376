import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { cutPage, type Page, type PageRequest } from './cut-page.ts'

export type PageOrder = { text: string; request: PageRequest }

/** The work of the thread that read-page.ts starts. */
export function pageWorker({ text, request }: PageOrder): Page {
  return cutPage(text, request)
}

// The thread that started this one wrote exactly this shape.
if (!isMainThread) parentPort?.postMessage(pageWorker(workerData as PageOrder))
