import type { Page, PageRequest } from './cut-page.ts'

/** What the page shows of what, and exactly what to send to read on. Null under a page from which nothing is missing. */
export function pageNote(
  source: string,
  page: Page,
  { pointer = '', contains = '' }: Partial<PageRequest> = {},
): string | null {
  if (page.whole) return null
  const { from, next, hasMarks } = page
  const name = { source, ...(pointer ? { pointer } : {}) }
  const call = (more: object) => `read_more ${JSON.stringify({ ...name, ...more })}`
  const isPart = from > 0 || next !== null
  return [
    ...(next !== null || hasMarks ? ['This is not all of it.'] : []),
    ...(isPart ? [`Shown from source ${describe(source, pointer)}: ${describeRange(page)}.`] : []),
    ...(next !== null ? [`Go on with ${call({ ...(contains ? { contains } : {}), from: next })}.`] : []),
    ...(isPart && next === null ? ['This is the last page.'] : []),
    ...(hasMarks
      ? [
          `For what a mark leaves out, call read_more with source ${JSON.stringify(source)} and what the mark names.`,
        ]
      : []),
    ...(from === 0 && !contains ? [`To search, call ${call({ contains: '…' })}.`] : []),
  ].join(' ')
}

function describe(source: string, pointer: string): string {
  return `${JSON.stringify(source)}${pointer ? `, pointer ${JSON.stringify(pointer)}` : ''}`
}

function describeRange({ unit, from, total, next, endFrom }: Page): string {
  if (from >= total) return `nothing, since there are ${total} ${unit}`
  const end = endFrom === null ? '' : ` and ${endFrom} to ${total - 1}`
  return `${unit} ${from} to ${(next ?? total) - 1}${end} of ${total} (the first is 0)`
}
