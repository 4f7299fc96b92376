import { parse } from 'node:querystring'
import { readHeader } from './read-header.ts'
import type { Delivery } from './scheme.ts'

type Content =
  | { kind: 'content'; parts: Uint8Array[] }
  | { kind: 'header-missing' | 'header-duplicated'; header: string }

const field = /\{(body|ts|method|url|form|header:[^{}]+)\}/

/** What the sender signed, by the scheme's template. The body goes in as the bytes received, never re-written. */
export function signedContent(template: string, delivery: Delivery, timestamp: string): Content {
  const parts: Uint8Array[] = []
  // Splitting by a pattern with one group alternates literal text and field names.
  for (const [index, piece] of template.split(field).entries()) {
    if (index % 2 === 0) {
      if (piece !== '') parts.push(Buffer.from(piece, 'utf8'))
    } else if (piece === 'body') {
      parts.push(delivery.body)
    } else if (piece.startsWith('header:')) {
      const header = piece.slice('header:'.length)
      const read = readHeader(delivery.rawHeaders, header)
      if (read.kind === 'none') return { kind: 'header-missing', header }
      if (read.kind === 'many') return { kind: 'header-duplicated', header }
      parts.push(Buffer.from(read.value, 'latin1'))
    } else {
      parts.push(Buffer.from(simpleField(piece, delivery, timestamp), 'utf8'))
    }
  }
  return { kind: 'content', parts }
}

function simpleField(name: string, delivery: Delivery, timestamp: string): string {
  switch (name) {
    case 'ts':
      return timestamp
    case 'method':
      return delivery.method
    case 'url':
      return delivery.url
    case 'form':
      return sortedForm(delivery)
    default:
      return ''
  }
}

/** Each form field's name and value, sorted by name; nothing for a body that is not a form. */
function sortedForm(delivery: Delivery): string {
  const type = readHeader(delivery.rawHeaders, 'content-type')
  if (type.kind !== 'one' || !/^application\/x-www-form-urlencoded\b/i.test(type.value)) return ''
  const fields = parse(Buffer.from(delivery.body).toString('utf8'), '&', '=', { maxKeys: 0 })
  return Object.keys(fields)
    .sort()
    .flatMap((name) => [...new Set([fields[name] ?? ''].flat())].sort().map((value) => name + value))
    .join('')
}
