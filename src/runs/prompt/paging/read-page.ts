import { runInThread, threadModule } from '../../../platform/run-in-thread.ts'
import { cutPage, isWhole, type Page, type PageRequest } from './cut-page.ts'

/** Parsing more than this would block the event loop for too long. */
const longText = 64 * 1024
const inThread = threadModule<typeof import('./cut-page.ts')>(new URL('./cut-page.ts', import.meta.url))

type PartRequest = Partial<PageRequest> & Pick<PageRequest, 'maxBytes'>

/** A part of a long text; unless told otherwise, from its beginning. A very long text is parsed in another thread. */
export async function readPage(text: string, part: PartRequest): Promise<Page> {
  const request = { pointer: '', from: 0, contains: '', ...part }
  if (text.length <= longText || isWhole(text, request)) return cutPage(text, request)
  return await runInThread(inThread, 'cutPage', [text, request])
}
