import { createHash } from 'node:crypto'
import { imageTypeOf } from '../../platform/images/image-type-of.ts'

export type AnswerBody =
  /** `isExact` is false if bytes that are invalid in the declared encoding were replaced. */
  | { kind: 'text'; text: string; isExact: boolean }
  | { kind: 'image'; mediaType: string; bytes: Buffer; sha256: string }
  | { kind: 'binary'; mediaType: string | null; sizeBytes: number; sha256: string }

const textTypes =
  /^(text\/.*|application\/(.*\+)?(json|xml|yaml|x-yaml|javascript|x-ndjson|jsonl|x-www-form-urlencoded|graphql|sql|toml|http|csv)|image\/svg\+xml|multipart\/.*|message\/.*)$/

/** Text stays exactly as received; anything else is described. */
export function readBody(bytes: Buffer, contentType: string | null): AnswerBody {
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase() || null
  const imageType = mediaType?.startsWith('image/') ? imageTypeOf(bytes) : null
  if (imageType) return { kind: 'image', mediaType: imageType, bytes, sha256: sha256(bytes) }
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

/** `ignoreBOM` keeps a byte order mark in the text, since text must stay unchanged. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Buffer, charset: string, fatal: boolean): string | null {
  try {
    const isUtf8 = fatal && charset === 'utf-8'
    return (isUtf8 ? utf8 : new TextDecoder(charset, { fatal, ignoreBOM: true })).decode(bytes)
  } catch (error) {
    // A RangeError means an unknown charset; then we try UTF-8.
    return error instanceof RangeError && charset !== 'utf-8' ? decode(bytes, 'utf-8', fatal) : null
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
