/** Finds the names, such as `@Mia`, wherever they stand as words. Of names that begin alike, the longest counts. */
export function namePattern(names: Iterable<string>): RegExp {
  const longestFirst = [...names].toSorted((a, b) => b.length - a.length)
  return new RegExp(
    `(?<![\\p{L}\\p{N}_@#/.-])(${longestFirst.map(quote).join('|')})(?![\\p{L}\\p{N}_-])`,
    'giu',
  )
}

function quote(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
