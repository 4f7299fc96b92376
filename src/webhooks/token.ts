import { hash, randomBytes } from 'node:crypto'

const pattern = /^whk_[A-Za-z0-9_-]{43}$/

/** 32 random bytes: the URL is the sender's credential. */
export function newToken(): string {
  return `whk_${randomBytes(32).toString('base64url')}`
}

export function looksLikeToken(text: string): boolean {
  return pattern.test(text)
}

/** What is looked up. The token itself is stored only sealed. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}

/** Enough to tell two URLs apart, and nothing to call them with. */
export function tokenHint(token: string): string {
  return token.slice(-4)
}

export function endpointUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/hooks/${token}`
}

export function maskedUrl(publicUrl: string, hint: string): string {
  return `${publicUrl}/hooks/whk_••••••••${hint}`
}
