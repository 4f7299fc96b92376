import { byte, scanJson } from './scan-json.ts'

/**
 * The beginning of a long JSON document, cut after a complete value and closed, so that it is JSON again. The first value may be
 * four times as long; null if it is longer still, since finding its end takes time.
 */
export function keepBeginning(text: string, charsAtMost: number): string | null {
  if (text.length <= charsAtMost) return text
  const body = Buffer.from(text.slice(0, 4 * charsAtMost))
  let closers = ''
  let kept = ''
  let end = 0
  scanJson(body, {
    open(at) {
      closers = `${body[at] === byte.openObject ? '}' : ']'}${closers}`
    },
    close() {
      closers = closers.slice(1)
    },
    comma(at) {
      if (end > 0 && at >= charsAtMost) return
      end = at
      kept = closers
    },
  })
  if (end > 0) return body.toString('utf8', 0, end) + kept
  // A document without a comma is one value, so there is no place to cut it.
  return text.length <= 4 * charsAtMost ? text : null
}
