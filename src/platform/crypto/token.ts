import { hash, randomBytes } from 'node:crypto'

/** 256 random bits. Nobody guesses one, so a fast hash is enough to store it. */
export function newToken(prefix = ''): string {
  return prefix + randomBytes(32).toString('base64url')
}

/** By which a token is looked up, without it being stored. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}
