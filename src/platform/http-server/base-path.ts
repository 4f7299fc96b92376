/** The path below which everything is served, such as `/bellhop`; empty without one. */
export function basePathOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '')
}

/** The path as the routes know it. Some proxies strip the base path before they forward a request, some do not. */
export function withoutBase(path: string, base: string): string {
  if (base === '' || !path.startsWith(base)) return path
  const rest = path.slice(base.length)
  if (rest.startsWith('/')) return rest
  return rest === '' || rest.startsWith('?') ? `/${rest}` : path
}
