const here = 'http://here.invalid'

/**
 * The path on our own site as a browser will read it, or null, so that a sign-in never redirects to another site.
 * Browsers drop tabs and line breaks from a URL and read "\" as "/", so a URL may lead elsewhere than it seems.
 */
export function localRedirect(to: string): string | null {
  const url = to.startsWith('/') ? URL.parse(to, here) : null
  if (url?.origin !== here) return null
  const place = url.pathname + url.search + url.hash
  return place.startsWith('//') ? null : place
}
