import { byte } from './json-bytes.ts'

/**
 * JSON text in which whatever is nested deeper than `levels` is null; the same text if nothing is. One pass, without recursion:
 * many parsers and walkers overflow the stack on deep nesting, or take very long. Whether it is valid JSON is left to the parser.
 */
export function cutNesting(text: string, levels: number): string {
  let depth = 0
  let kept = ''
  let from = 0
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case byte.quote:
        at = endOfString(text, at)
        break
      case byte.openArray:
      case byte.openObject:
        if (depth++ === levels) kept += `${text.slice(from, at)}null`
        break
      case byte.closeArray:
      case byte.closeObject:
        if (--depth === levels) from = at + 1
    }
  }
  if (kept === '') return text
  return depth > levels ? kept : kept + text.slice(from)
}

/** The index of the closing quote. */
function endOfString(text: string, openingQuote: number): number {
  let at = openingQuote + 1
  while (at < text.length && text.charCodeAt(at) !== byte.quote)
    at += text.charCodeAt(at) === byte.backslash ? 2 : 1
  return at
}
