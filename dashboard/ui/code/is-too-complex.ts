/** Ten levels of nested quotes or lists in one line. */
const deep = /^[ \t]*(?:(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])[ \t]*){10}/m
const maxMarks = 2_000
const maxBrackets = 3_000

/** Text that takes a Markdown parser minutes, or nests deeper than a page can render. Nobody writes like that to be read. */
export function isTooComplex(text: string): boolean {
  return deep.test(text) || count(text, /[*_~]+/g) > maxMarks || count(text, /\[/g) > maxBrackets
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
