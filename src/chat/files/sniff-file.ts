import { imageSizeOf } from '../../platform/images/image-size-of.ts'
import { imageTypeOf } from '../../platform/images/image-type-of.ts'

/** What the bytes are, whatever the name and the label say. `problem`: why they are of no use, for people and the model. */
export type Sniffed =
  | { kind: 'image'; mediaType: string }
  | { kind: 'pdf' }
  | { kind: 'text'; text: string }
  | { kind: 'unreadable'; problem: string }

const maxImageBytes = 5 * 1024 * 1024
/** Providers refuse larger ones, and with them the whole request. */
const maxImageSide = 8000

export function sniffFile(bytes: Buffer): Sniffed {
  if (bytes.length === 0) return unreadable('it is empty')
  const mediaType = imageTypeOf(bytes)
  if (mediaType !== null) return sniffImage(bytes, mediaType)
  if (bytes.subarray(0, 5).toString('latin1') === '%PDF-') return { kind: 'pdf' }
  const text = decode(bytes)
  return text === null ? unreadable('it is no image, text or PDF') : { kind: 'text', text }
}

function sniffImage(bytes: Buffer, mediaType: string): Sniffed {
  if (bytes.length > maxImageBytes) return unreadable('images are read up to 5 MB')
  const size = imageSizeOf(bytes, mediaType)
  if (size === null) return unreadable('the image is damaged')
  if (Math.max(size.width, size.height) > maxImageSide)
    return unreadable(`images are read up to ${maxImageSide} pixels on each side`)
  return { kind: 'image', mediaType }
}

/** UTF-8, or UTF-16 with a mark. Text has no control characters but for tabs, line ends, and the escapes of colored logs. */
function decode(bytes: Buffer): string | null {
  const mark = bytes.length > 1 ? bytes.readUInt16BE(0) : 0
  const encoding = mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    return /[\u0000-\u0008\u000b\u000e-\u001a\u001c-\u001f]/.test(text) ? null : text
  } catch {
    return null
  }
}

function unreadable(problem: string): Sniffed {
  return { kind: 'unreadable', problem }
}
