import { workApart } from '../platform/work-apart.ts'
import { cutPage, isWhole, type Page, type PageRequest } from './cut-page.ts'

/** To take apart more than this would hold up everybody else. */
const longText = 64 * 1024

/** A part of a long text. A very long one is taken apart beside the loop that serves everybody. */
export async function readPage(text: string, request: PageRequest): Promise<Page> {
  if (text.length <= longText || isWhole(text, request)) return cutPage(text, request)
  return await workApart<typeof cutPage>(new URL('./cut-page.ts', import.meta.url), 'cutPage', [
    text,
    request,
  ])
}
