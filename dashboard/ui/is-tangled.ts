/** Ten levels of nested quotes or lists in one line. */
const deep = /^[ \t]*(?:(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])[ \t]*){10}/m
const mostMarks = 2_000
const mostBrackets = 3_000

/** Text that takes a Markdown parser minutes, or nests deeper than a page can render. Nobody writes like that to be read. */
export function isTangled(text: string): boolean {
  return deep.test(text) || count(text, /[*_~]+/g) > mostMarks || count(text, /\[/g) > mostBrackets
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
