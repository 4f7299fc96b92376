/** A quote in a quote, a list in a list: ten of them in one line. */
const deep = /^[ \t]*(?:(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])[ \t]*){10}/m
const mostMarks = 2_000
const mostBrackets = 3_000

/** Text that takes a reader of Markdown minutes, or has more levels than a page can hold. Nobody writes like that to be read. */
export function isTangled(text: string): boolean {
  return deep.test(text) || count(text, /[*_~]+/g) > mostMarks || count(text, /\[/g) > mostBrackets
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
