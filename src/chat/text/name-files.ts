const maxNamed = 10
const longestName = 100

/** Names the files attached to a message: the agent cannot open them, but can say so. */
export function nameFiles(text: string, names: readonly (string | null | undefined)[]): string {
  if (names.length === 0) return text
  const shown = names
    .slice(0, maxNamed)
    .map((name) => (name || 'a file').slice(0, longestName).toWellFormed())
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''
  const note = `[Attached, and not readable here: ${shown.join(', ')}${more}]`
  return text.trim() === '' ? note : `${text}\n\n${note}`
}
