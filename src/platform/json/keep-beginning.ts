/** The beginning of a long JSON document, cut after a whole value and closed, so that it is JSON again. */
export function keepBeginning(text: string, charsAtMost: number): string {
  if (text.length <= charsAtMost) return text
  let closers = ''
  let kept: { end: number; closers: string } | null = null
  for (let at = 0; at < text.length && (at < charsAtMost || !kept); at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at)
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
  // A document without a comma has no place to cut, and needs none: it is one value.
  return kept ? text.slice(0, kept.end) + kept.closers : text
}

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
