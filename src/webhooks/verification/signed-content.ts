import { readForm } from '../../platform/http-server/read-form.ts'
import { readHeader } from './read-header.ts'
import type { Delivery } from './scheme.ts'

type Content =
  | { kind: 'content'; parts: Uint8Array[] }
  | { kind: 'signed-header-missing' | 'header-duplicated'; header: string }
  | { kind: 'form-unreadable' }

const field = /\{(body|ts|method|url|form|header:[^{}]+)\}/

/** What the sender signed, by the scheme's template. The body is used as the bytes received, never re-encoded. */
export function signedContent(template: string, delivery: Delivery, timestamp: string): Content {
  const parts: Uint8Array[] = []
  for (const piece of piecesOf(template)) {
    if (typeof piece !== 'string') {
      parts.push(piece)
    } else if (piece === 'body') {
      parts.push(delivery.body)
    } else if (piece.startsWith('header:')) {
      const header = piece.slice('header:'.length)
      const read = readHeader(delivery.rawHeaders, header)
      if (read.kind === 'none') return { kind: 'signed-header-missing', header }
      if (read.kind === 'many') return { kind: 'header-duplicated', header }
      parts.push(Buffer.from(read.value, 'latin1'))
    } else if (piece === 'form') {
      const form = sortedForm(delivery)
      if (form === null) return { kind: 'form-unreadable' }
      parts.push(Buffer.from(form, 'utf8'))
    } else {
      parts.push(Buffer.from(simpleField(piece, delivery, timestamp), 'utf8'))
    }
  }
  return { kind: 'content', parts }
}

/** Literal text as bytes, fields by name. */
function piecesOf(template: string): (string | Buffer)[] {
  // Splitting by a pattern with one group alternates literal text and field names.
  return template
    .split(field)
    .map((piece, index) => (index % 2 === 0 ? Buffer.from(piece, 'utf8') : piece))
    .filter((piece) => piece.length > 0)
}

function simpleField(name: string, delivery: Delivery, timestamp: string): string {
  switch (name) {
    case 'ts':
      return timestamp
    case 'method':
      return delivery.method
    case 'url':
      return delivery.url
    default:
      return ''
  }
}

/** Each form field's name and value, sorted by name; empty if the body is not a form, null if it cannot be read as one. */
function sortedForm(delivery: Delivery): string | null {
  const type = readHeader(delivery.rawHeaders, 'content-type')
  if (type.kind !== 'one' || !/^application\/x-www-form-urlencoded\b/i.test(type.value)) return ''
  const fields = readForm(delivery.body)
  if (fields === null) return null
  const values = Map.groupBy(fields, ([name]) => name)
  const sorted = [...values.keys()]
    .sort()
    .flatMap((name) => {
      const distinct = new Set(values.get(name)?.map(([, value]) => value))
      return [...distinct].sort().map((value) => name + value)
    })
    .join('')
  // The signature would cover no part of the body.
  return sorted === '' ? null : sorted
}
