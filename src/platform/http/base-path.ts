/** The path below which everything lies, such as `/bellhop`: empty where the address is a whole host. */
export function basePathOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/+$/, '')
}

/** The path as the routes know it. Some proxies take the base away before they pass a request on, and some do not. */
export function withoutBase(path: string, base: string): string {
  if (base === '' || !path.startsWith(base)) return path
  const rest = path.slice(base.length)
  if (rest.startsWith('/')) return rest
  return rest === '' || rest.startsWith('?') ? `/${rest}` : path
}
