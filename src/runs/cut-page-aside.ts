import { parentPort, workerData } from 'node:worker_threads'
import { cutPage, type PageRequest } from './cut-page.ts'

/** What the thread is given. */
export type PageAside = { text: string; request: PageRequest }

if (parentPort) {
  const { text, request } = workerData as PageAside // read-page.ts gives nothing else
  parentPort.postMessage(cutPage(text, request))
}
