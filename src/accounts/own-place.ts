const here = 'http://here.invalid'

/**
 * A place of our own as a browser will read it, or null: a sign-in must not end at another site. Browsers drop tabs and line breaks from
 * an address and take "\" for "/", so what it looks like is not where it leads.
 */
export function ownPlace(to: string): string | null {
  const url = to.startsWith('/') ? URL.parse(to, here) : null
  if (url?.origin !== here) return null
  const place = url.pathname + url.search + url.hash
  return place.startsWith('//') ? null : place
}
