/** PostgreSQL's text cannot hold U+0000; its visible symbol replaces it. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\u2400')
}
