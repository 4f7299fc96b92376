const mostNamed = 10
const longestName = 100

/** What came along with a message, by name: the agent cannot open it, and can say so instead of wondering what is meant. */
export function nameFiles(text: string, names: readonly (string | null | undefined)[]): string {
  if (names.length === 0) return text
  const shown = names
    .slice(0, mostNamed)
    .map((name) => (name || 'a file').slice(0, longestName).toWellFormed())
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''
  const note = `[Attached, and not readable here: ${shown.join(', ')}${more}]`
  return text.trim() === '' ? note : `${text}\n\n${note}`
}
