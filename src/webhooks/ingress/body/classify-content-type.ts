import type { Preset } from '../../verification/presets.ts'

export type BodyKind = 'json' | 'form'

/** The declared kind of body, or null if it is not accepted here. Without a content type it is tried as JSON. */
export function classifyContentType(
  contentType: string | undefined,
  contentEncoding: string | undefined,
  form: Preset['form'],
): BodyKind | null {
  if (isEncoded(contentEncoding)) return null
  // What almost every sender writes.
  if (contentType === 'application/json') return 'json'
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === '' || type === 'application/json') return 'json'
  if (/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json$/.test(type)) return 'json'
  return type === 'application/x-www-form-urlencoded' && form ? 'form' : null
}

export function isEncoded(contentEncoding: string | undefined): boolean {
  return contentEncoding !== undefined && contentEncoding.trim().toLowerCase() !== 'identity'
}
