import { createHash, randomInt } from 'node:crypto'

// Without letters and digits that look alike.
const alphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const length = 8

/** Short enough to type; it expires in minutes, works once, and guesses are limited. */
export function newLinkCode(): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
}

export function hashLinkCode(code: string): string {
  return createHash('sha256').update(code.toUpperCase().replaceAll('-', '')).digest('hex')
}
