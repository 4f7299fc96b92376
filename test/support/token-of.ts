/** The token at the end of a one-time link. */
export function tokenOf(url: string | null | undefined): string {
  return new URLSearchParams(new URL(url ?? 'http://none').hash.slice(1)).get('token') ?? ''
}
