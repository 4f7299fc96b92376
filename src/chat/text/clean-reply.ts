import { invisibleCharacters } from '../../platform/invisible-characters.ts'
import { breakMentions } from './break-mentions.ts'
import { mapOutsideCode } from './map-outside-code.ts'

const invisible = '\u200b'

/**
 * Makes a model's text safe to show: it hides nothing and turns no text around, in code too, mentions no groups such as
 * `@everyone`, and loads no remote images, since an image's address could leak what the model has read. Otherwise code stays as it
 * is, except for mentions, which some platforms act on even there.
 */
export function cleanReply(markdown: string): string {
  const visible = markdown.replaceAll(/[\u2028\u2029]/g, '\n').replaceAll(invisibleCharacters, '')
  return breakMentions(mapOutsideCode(visible, dropRemoteImages))
}

const farthest = 1500

/** Replaces an image by its description and its visible address. Scanned by hand, so that no text takes long. */
function dropRemoteImages(markdown: string): string {
  const pieces: string[] = []
  let from = 0
  for (let at = markdown.indexOf('!['); at >= 0; at = markdown.indexOf('![', from)) {
    pieces.push(markdown.slice(from, at))
    const image = readImage(markdown.slice(at + 2, at + 2 + farthest))
    pieces.push(image ? image.shown : `!${invisible}[`)
    from = at + 2 + (image ? image.length : 0)
  }
  pieces.push(markdown.slice(from))
  return pieces.join('').replaceAll(
    /<\/?(img|picture|source|video|audio|iframe|object|embed|svg|image|link|style)\b[^>]*>?/gi,
    // Not nothing: what is before and after it would make another image.
    invisible,
  )
}

/** Reads what follows `![`. Null if it is no image, or one we cannot parse; the caller then breaks it. */
function readImage(text: string): { shown: string; length: number } | null {
  const end = text.indexOf(']')
  if (end < 0 || text.slice(0, end).includes('![')) return null
  const alt = text.slice(0, end) || 'image'
  if (text[end + 1] === '(') {
    const close = text.indexOf(')', end + 2)
    if (close < 0) return null
    const [address = ''] = text
      .slice(end + 2, close)
      .trim()
      .replace(/^<|>$/g, '')
      .split(/\s/)
    return { shown: address ? `${alt}: ${address}` : alt, length: close + 1 }
  }
  const reference = text[end + 1] === '[' ? text.indexOf(']', end + 2) : -1
  return { shown: alt, length: (reference < 0 ? end : reference) + 1 }
}
