/** Percent-decodes; text that is not validly encoded stays as it is. */
export function decodeComponent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
