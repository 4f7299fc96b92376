import { randomBytes } from 'node:crypto'

/** A random word, so that nobody outside can write the line that ends a fence. */
export function newDelimiter(): string {
  return randomBytes(9).toString('base64url')
}

/** The text is exactly as it came, between two lines. */
export function delimit(word: string, label: string, text: string): string {
  return `<<${label} ${word}>>\n${text}\n<<end ${word}>>`
}
