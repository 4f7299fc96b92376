import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { cutPage, type Page, type PageRequest } from './cut-page.ts'
import type { PageAside } from './cut-page-aside.ts'

/** To take apart more than this would hold up everybody else. */
const longText = 64 * 1024

/** One at a time: each needs many times the memory of its text. */
let turn: Promise<unknown> = Promise.resolve()

/** A part of a long text. A very long one is taken apart beside the loop that serves everybody. */
export async function readPage(text: string, request: PageRequest): Promise<Page> {
  if (
    text.length <= Math.max(longText, request.from === 0 && request.pointer === '' ? request.maxChars : 0)
  ) {
    return cutPage(text, request)
  }
  const mine = turn.then(() => cutAside(text, request))
  turn = mine.catch(() => undefined)
  return await mine
}

async function cutAside(text: string, request: PageRequest): Promise<Page> {
  const worker = new Worker(new URL('./cut-page-aside.ts', import.meta.url), {
    workerData: { text, request } satisfies PageAside,
  })
  // What cut-page-aside.ts posts.
  const [page] = (await once(worker, 'message')) as [Page]
  return page
}
