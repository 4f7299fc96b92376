import { runInThread, threadModule } from '../../platform/run-in-thread.ts'
import { cutPage, isWhole, type Page, type PageRequest } from './cut-page.ts'

/** Parsing more than this would block the event loop for too long. */
const longText = 64 * 1024
const inThread = threadModule<typeof import('./cut-page.ts')>(new URL('./cut-page.ts', import.meta.url))

type SizedRequest = Omit<PageRequest, 'maxChars'> & { maxBytes: number }

/** A part of a long text, in about `maxBytes` bytes of UTF-8. A very long text is parsed in another thread. */
export async function readPage(text: string, { maxBytes, ...part }: SizedRequest): Promise<Page> {
  const bytes = Buffer.byteLength(text)
  // A page has about as many bytes per character as the whole text.
  const maxChars = bytes <= maxBytes ? maxBytes : Math.max(Math.floor((maxBytes * text.length) / bytes), 1)
  const request = { ...part, maxChars }
  if (text.length <= longText || isWhole(text, request)) return cutPage(text, request)
  return await runInThread(inThread, 'cutPage', [text, request])
}
