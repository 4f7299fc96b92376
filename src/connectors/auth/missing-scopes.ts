const longest = 1000

/** The scopes that a 403 demands (RFC 6750); null if it is about something else. */
export function missingScopes(status: number, challenge: string | null): string | null {
  if (status !== 403 || challenge === null || !/\berror="?insufficient_scope\b/.test(challenge)) return null
  const scopes = /\bscope="([^"]+)"/.exec(challenge)?.[1] ?? ''
  // People read them before they sign in, so they must be what RFC 6749 calls a scope.
  return scopes.length <= longest && /^[!#-[\]-~]+( [!#-[\]-~]+)*$/.test(scopes) ? scopes : null
}
