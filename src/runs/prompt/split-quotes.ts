type Part = { isQuoted: boolean; text: string }

/** Where a forwarded mail begins: the rest of the message is not the author's. */
const forwarded =
  /^(-{2,} ?(original|forwarded) message\b|begin forwarded message:|(from|von|de|van|da|från): .+[<@])/i

/** A message in parts: what its author wrote, and what they quote or forward. */
export function splitQuotes(message: string): Part[] {
  const parts: { isQuoted: boolean; lines: string[] }[] = []
  let isForwarded = false
  for (const line of message.split('\n')) {
    isForwarded ||= forwarded.test(line.trim())
    const isQuoted = isForwarded || /^\s*>/.test(line)
    const last = parts.at(-1)
    // An empty line belongs to whatever it follows.
    if (last && (last.isQuoted === isQuoted || line.trim() === '')) last.lines.push(line)
    else parts.push({ isQuoted, lines: [line] })
  }
  return parts.map(({ isQuoted, lines }) => ({ isQuoted, text: lines.join('\n').trimEnd() }))
}
