import { runInThread } from '../platform/run-in-thread.ts'
import { cutPage, isWhole, type Page, type PageRequest } from './cut-page.ts'

/** Parsing more than this would block the event loop for too long. */
const longText = 64 * 1024

/** A part of a long text. A very long text is parsed in another thread. */
export async function readPage(text: string, request: PageRequest): Promise<Page> {
  if (text.length <= longText || isWhole(text, request)) return cutPage(text, request)
  return await runInThread<typeof cutPage>(new URL('./cut-page.ts', import.meta.url), 'cutPage', [
    text,
    request,
  ])
}
