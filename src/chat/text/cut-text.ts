/** Cuts one long line: after a sentence if one ends in the second half, else between words, else between characters. */
export function cutText(line: string, roomFor: number): string[] {
  // A character may need two places, and a part is never empty.
  const maxLength = Math.max(2, roomFor)
  const parts: string[] = []
  let rest = line
  while (rest.length > maxLength) {
    const at = placeToCut(rest, maxLength)
    parts.push(rest.slice(0, at))
    rest = rest.slice(at)
  }
  parts.push(rest)
  return parts
}

function placeToCut(text: string, maxLength: number): number {
  const window = text.slice(0, maxLength)
  const sentence = Math.max(...['. ', '! ', '? ', '。'].map((end) => window.lastIndexOf(end) + end.length))
  if (sentence > maxLength / 2) return sentence
  const word = window.lastIndexOf(' ') + 1
  if (word > maxLength / 2) return word
  // Never inside a surrogate pair.
  const last = window.charCodeAt(maxLength - 1)
  return last >= 0xd800 && last <= 0xdbff ? maxLength - 1 : maxLength
}
