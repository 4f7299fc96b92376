/** The path of a URL below a base URL, or null if it is not below it. */
export function pathUnder(baseUrl: string, url: string): string | null {
  const base = baseUrl.replace(/\/+$/, '')
  return url.startsWith(`${base}/`) ? url.slice(base.length) : null
}
