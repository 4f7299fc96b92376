import { hash, randomBytes } from 'node:crypto'

/** 256 random bits: impossible to guess, so a fast hash is enough to store it. */
export function newToken(prefix = ''): string {
  return prefix + randomBytes(32).toString('base64url')
}

/** The hash by which a token is looked up; the token itself is not stored. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}
