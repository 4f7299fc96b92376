/**
 * The beginning of a long JSON document, cut after a complete value and closed, so that it is JSON again. The first value may be
 * four times as long; null if it is longer still, since finding its end takes time.
 */
export function keepBeginning(text: string, charsAtMost: number): string | null {
  if (text.length <= charsAtMost) return text
  const searched = text.slice(0, 4 * charsAtMost)
  let closers = ''
  let kept: { end: number; closers: string } | null = null
  for (let at = 0; at < searched.length && (at < charsAtMost || !kept); at++) {
    switch (searched[at]) {
      case '"':
        at = endOfString(searched, at)
        break
      case '{':
        closers = `}${closers}`
        break
      case '[':
        closers = `]${closers}`
        break
      case '}':
      case ']':
        closers = closers.slice(1)
        break
      case ',':
        kept = { end: at, closers }
    }
  }
  if (kept) return text.slice(0, kept.end) + kept.closers
  // A document without a comma is one value, so there is no place to cut it.
  return searched.length === text.length ? text : null
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
