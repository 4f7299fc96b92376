/**
 * Where the next command begins. A shell would also end one at a single `&` and at every line break; people forget the quotes
 * around a query, and lose the backslashes at the ends of lines.
 */
const separator = /\||&&|;(?=\s|$)|\n[ \t]*curl\s/y

/** The words of the first command as a POSIX shell reads them: quotes, escapes, `$'…'`, and lines continued by a backslash. */
export function splitShellWords(line: string): string[] {
  const words: string[] = []
  let word: string | null = null
  for (let at = 0; at < line.length; at++) {
    const char = line[at] ?? ''
    separator.lastIndex = at
    if (separator.test(line)) break
    if (char === "'" || (char === '$' && line[at + 1] === "'")) {
      const isAnsi = char === '$'
      const start = at + (isAnsi ? 2 : 1)
      const end = findQuote(line, start, "'", isAnsi)
      word = (word ?? '') + (isAnsi ? unescapeAnsi(line.slice(start, end)) : line.slice(start, end))
      at = end
    } else if (char === '"') {
      const end = findQuote(line, at + 1, '"', true)
      word =
        (word ?? '') +
        line.slice(at + 1, end).replaceAll(/\\([\\"$`]|\n)/g, (_all, next) => (next === '\n' ? '' : next))
      at = end
    } else if (char === '\\') {
      const next = line[at + 1] ?? ''
      at += next === '\r' && line[at + 2] === '\n' ? 2 : 1
      if (next !== '\n' && next !== '\r') word = (word ?? '') + next
    } else if (/\s/.test(char)) {
      if (word !== null) words.push(word)
      word = null
    } else word = (word ?? '') + char
  }
  if (word !== null) words.push(word)
  return words
}

function findQuote(line: string, start: number, quote: string, hasEscapes: boolean): number {
  for (let at = start; at < line.length; at++) {
    if (hasEscapes && line[at] === '\\') at++
    else if (line[at] === quote) return at
  }
  return line.length
}

const ansi: Record<string, string> = {
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\x1b',
  '0': '\0',
}

function unescapeAnsi(text: string): string {
  return text.replaceAll(/\\(u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)/gs, (_all, code: string) =>
    code.length > 1 ? String.fromCodePoint(Number.parseInt(code.slice(1), 16)) : (ansi[code] ?? code),
  )
}
