const maxNamed = 10
const longestName = 100

/** Names the files attached to a message. Where it cannot open them, the agent can say so. */
export function nameFiles(
  text: string,
  names: readonly (string | null | undefined)[],
  label = 'Attached, and not readable here',
): string {
  if (names.length === 0) return text
  const shown = names
    .slice(0, maxNamed)
    .map((name) => (name || 'a file').slice(0, longestName).toWellFormed())
  const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : ''
  const note = `[${label}: ${shown.join(', ')}${more}]`
  return text.trim() === '' ? note : `${text}\n\n${note}`
}
