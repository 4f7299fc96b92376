import { breakMentions } from './break-mentions.ts'
import { mapOutsideCode } from './map-outside-code.ts'

const invisible = '\u200b'

/**
 * Text of a model, made harmless before it is shown to many: nobody is called by `@everyone` and the like, and no image
 * is loaded from somewhere, since its address could carry out what the model has read. What code shows stays as it is,
 * but for mentions: some platforms act on them even there.
 */
export function cleanReply(markdown: string): string {
  return breakMentions(mapOutsideCode(markdown, dropRemoteImages))
}

const farthest = 1500

/** An image becomes its description, with its address in sight. Scanned by hand: no text may take long. */
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
  return pieces
    .join('')
    .replaceAll(
      /<\/?(img|picture|source|video|audio|iframe|object|embed|svg|image|link|style)\b[^>]*>?/gi,
      '',
    )
}

/** What follows `![`. Null when it is no image, or one that we cannot read; the caller breaks it then. */
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
