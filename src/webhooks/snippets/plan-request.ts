import type { Scheme, TimestampUnit } from '../verification/scheme.ts'

/** What a script says, and does no more, if its environment lacks the secret. */
export const secretMissing = 'Set WEBHOOK_SECRET to the secret of this webhook.'

/** Literal text, or a value that the sender's script has or computes. */
export type Piece = { literal: string } | { value: 'body' | 'ts' | 'url' | 'id' | 'signature' }

/** A delivery for any language: what is signed, with what, and which headers carry it. */
export type RequestPlan = {
  url: string
  body: string
  signature: 'none' | 'secret' | Hmac
  timeUnit: TimestampUnit | null
  /** The delivery's own id is signed, e.g. `webhook-id`. */
  needsId: boolean
  headers: [name: string, value: Piece[]][]
}

type Hmac = Pick<Scheme, 'keyEncoding' | 'encoding'> & { hash: string; keyPrefix: string; content: Piece[] }

/** Null if no script can do it: only the sender has the private key or the time, or it signs what its library sets. */
export function planRequest(url: string, body: string, scheme: Scheme | null): RequestPlan | null {
  const contentType: [string, Piece[]] = ['Content-Type', [{ literal: 'application/json' }]]
  const bare: RequestPlan = {
    url,
    body,
    signature: 'none',
    timeUnit: null,
    needsId: false,
    headers: [contentType],
  }
  if (!scheme) return bare
  if (cannotBeScripted(scheme)) return null
  const { algorithm, keyEncoding, keyPrefix = '', encoding, timestamp } = scheme
  const ownHeaders = signedHeaders(scheme)
  const hash = algorithm.slice('hmac-'.length)
  return {
    ...bare,
    signature:
      algorithm === 'equality'
        ? 'secret'
        : { hash, keyEncoding, keyPrefix, encoding, content: content(scheme) },
    timeUnit: timestamp?.unit ?? null,
    needsId: ownHeaders.length > 0,
    headers: [
      contentType,
      ...ownHeaders.map((name): [string, Piece[]] => [name, [{ value: 'id' }]]),
      ...(timestamp?.from === 'header'
        ? [[timestamp.header, [{ value: 'ts' }]] satisfies [string, Piece[]]]
        : []),
      [scheme.header, headerValue(scheme)],
    ],
  }
}

function cannotBeScripted(scheme: Scheme): boolean {
  const { algorithm, keyEncoding, template, timestamp } = scheme
  return (
    algorithm === 'ed25519' ||
    (algorithm === 'equality' && keyEncoding !== 'utf-8') ||
    timestamp?.from === 'body' ||
    template.includes('{form}') ||
    /\{header:(host|content-length|connection|transfer-encoding|date)\}/i.test(template)
  )
}

/** Names of signed headers whose value the sender may choose. */
function signedHeaders({ template, timestamp }: Scheme): string[] {
  const names = new Map<string, string>()
  for (const [, name = ''] of template.matchAll(/\{header:([^{}]+)\}/g)) names.set(name.toLowerCase(), name)
  names.delete('content-type')
  if (timestamp?.from === 'header') names.delete(timestamp.header.toLowerCase())
  return [...names.values()]
}

function content({ template, timestamp }: Scheme): Piece[] {
  const field = (name: string): Piece => {
    if (name === 'method') return { literal: 'POST' }
    if (name === 'body' || name === 'ts' || name === 'url') return { value: name }
    const header = name.slice('header:'.length).toLowerCase()
    if (header === 'content-type') return { literal: 'application/json' }
    const isTime = timestamp?.from === 'header' && timestamp.header.toLowerCase() === header
    return { value: isTime ? 'ts' : 'id' }
  }
  return withoutEmpty(
    template
      .split(/\{(body|ts|method|url|header:[^{}]+)\}/)
      .map((piece, index) => (index % 2 === 0 ? { literal: piece } : field(piece))),
  )
}

function headerValue({ list, prefix = '', timestamp }: Scheme): Piece[] {
  const entry = list ? `${list.key}${list.between}${prefix}` : prefix
  const time: Piece[] =
    list && timestamp?.from === 'list'
      ? [{ literal: `${timestamp.key}${list.between}` }, { value: 'ts' }, { literal: list.separator }]
      : []
  return withoutEmpty([...time, { literal: entry }, { value: 'signature' }])
}

function withoutEmpty(pieces: Piece[]): Piece[] {
  return pieces.filter((piece) => !('literal' in piece) || piece.literal !== '')
}
