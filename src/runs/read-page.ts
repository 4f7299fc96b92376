import { workApart } from '../platform/work-apart.ts'
import { cutPage, isWhole, type Page, type PageRequest } from './cut-page.ts'
import type { PageOrder } from './page-worker.ts'

/** To take apart more than this would hold up everybody else. */
const longText = 64 * 1024

/** A part of a long text. A very long one is taken apart beside the loop that serves everybody. */
export async function readPage(text: string, request: PageRequest): Promise<Page> {
  if (text.length <= longText || isWhole(text, request)) return cutPage(text, request)
  const order: PageOrder = { text, request }
  return await workApart<Page>(new URL('./page-worker.ts', import.meta.url), order)
}
