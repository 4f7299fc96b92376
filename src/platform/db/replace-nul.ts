/** PostgreSQL's text cannot hold U+0000; its visible symbol replaces it. */
export function replaceNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\u2400') : text
}
