import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits: sessions, one-time links and API keys. Nobody guesses one, so a fast hash is enough to store it. */
export function newToken(prefix = ''): string {
  return prefix + randomBytes(32).toString('base64url')
}

/** The only form in which a token is stored. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
