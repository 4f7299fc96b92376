import { maxHeaderBytes } from './refuse-unreadable.ts'

export type PlainRequest = {
  url: string
  rawHeaders: string[]
  headers: ReadonlyMap<string, string>
  body: Buffer
}

/** RFC 9112 without anything optional: no folded lines, no bare line feeds, nothing but printable ASCII. */
const plainHead = /^POST \/[!-~]* HTTP\/1\.1\r\n(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~]*\r\n)+$/
const endOfHead = Buffer.from('\r\n\r\n')
const plainLength = /^(?:0|[1-9]\d{0,6})$/

/** They change how the message or its answer is framed, or when it is answered. */
const special = ['transfer-encoding', 'expect', 'upgrade', 'trailer', 'prefer']

/**
 * A POST that is exactly these bytes and can be read in one way only; null for everything else. Stricter than any proxy before
 * us, so that there is nothing to disagree about.
 */
export function readPlainRequest(bytes: Buffer): PlainRequest | null {
  const end = bytes.indexOf(endOfHead)
  if (end < 0 || end > maxHeaderBytes / 2) return null
  const head = bytes.toString('latin1', 0, end + 2)
  if (!plainHead.test(head)) return null
  const requestEnd = head.indexOf('\r\n')
  const rawHeaders: string[] = []
  const headers = new Map<string, string>()
  for (let at = requestEnd + 2; at < head.length; ) {
    const colon = head.indexOf(':', at)
    const lineEnd = head.indexOf('\r\n', colon)
    const name = head.slice(at, colon)
    const value = head.slice(colon + 1, lineEnd).trim()
    rawHeaders.push(name, value)
    headers.set(name.toLowerCase(), value)
    at = lineEnd + 2
  }
  const body = bytes.subarray(end + 4)
  const length = headers.get('content-length') ?? ''
  const isPlain =
    headers.size === rawHeaders.length / 2 &&
    headers.has('host') &&
    plainLength.test(length) &&
    Number(length) === body.length &&
    (headers.get('connection') ?? 'keep-alive').toLowerCase() === 'keep-alive' &&
    !special.some((name) => headers.has(name))
  if (!isPlain) return null
  const url = head.slice('POST '.length, requestEnd - ' HTTP/1.1'.length)
  return { url, rawHeaders, headers, body }
}
