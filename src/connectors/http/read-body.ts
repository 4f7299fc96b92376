import { createHash } from 'node:crypto'

export type AnswerBody =
  /** `isExact` is false where bytes had to be replaced, since they are no text in the declared encoding. */
  | { kind: 'text'; text: string; isExact: boolean }
  | { kind: 'image'; mediaType: string; bytes: Buffer; sha256: string }
  | { kind: 'binary'; mediaType: string | null; sizeBytes: number; sha256: string }

const textTypes =
  /^(text\/.*|application\/(.*\+)?(json|xml|yaml|x-yaml|javascript|x-ndjson|jsonl|x-www-form-urlencoded|graphql|sql|toml|http|csv)|image\/svg\+xml|multipart\/.*|message\/.*)$/
/** What models take as images. */
const imageTypes = /^image\/(png|jpeg|gif|webp)$/

/** Text stays exactly as it was received; what is no text is described. */
export function readBody(bytes: Buffer, contentType: string | null): AnswerBody {
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase() || null
  if (mediaType && imageTypes.test(mediaType) && bytes.length > 0) {
    return { kind: 'image', mediaType, bytes, sha256: sha256(bytes) }
  }
  const exact = decode(bytes, charsetOf(contentType), true)
  const isDeclaredText = mediaType !== null && textTypes.test(mediaType)
  if (exact !== null && (isDeclaredText || !exact.includes('\0')))
    return { kind: 'text', text: exact, isExact: true }
  if (isDeclaredText) return { kind: 'text', text: decode(bytes, 'utf-8', false) ?? '', isExact: false }
  return { kind: 'binary', mediaType, sizeBytes: bytes.length, sha256: sha256(bytes) }
}

function charsetOf(contentType: string | null): string {
  return /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(contentType ?? '')?.[1] ?? 'utf-8'
}

/** `ignoreBOM` keeps a byte order mark in the text: unchanged means unchanged. */
function decode(bytes: Buffer, charset: string, fatal: boolean): string | null {
  try {
    return new TextDecoder(charset, { fatal, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    // A RangeError means that nobody knows this charset; then it is UTF-8 or nothing.
    return error instanceof RangeError && charset !== 'utf-8' ? decode(bytes, 'utf-8', fatal) : null
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
