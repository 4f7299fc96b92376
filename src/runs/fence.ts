import { randomBytes } from 'node:crypto'

/** Nobody outside can know it, so nobody outside can write the line that ends a fence. */
export function newFenceWord(): string {
  return randomBytes(9).toString('base64url')
}

/** The text stands between the two lines exactly as it came. */
export function fence(word: string, label: string, text: string): string {
  return `<<${label} ${word}>>\n${text}\n<<end ${word}>>`
}
