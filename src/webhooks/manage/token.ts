const pattern = /^whk_[A-Za-z0-9_-]{43}$/

export function looksLikeToken(text: string): boolean {
  return pattern.test(text)
}

/** Enough to tell two URLs apart, but not to call them. */
export function tokenHint(token: string): string {
  return token.slice(-4)
}

export function endpointUrl(publicUrl: string, token: string): string {
  return `${publicUrl}/hooks/${token}`
}

export function maskedUrl(publicUrl: string, hint: string): string {
  return `${publicUrl}/hooks/whk_••••••••${hint}`
}
