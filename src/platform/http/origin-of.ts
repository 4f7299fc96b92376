/** Null where there is no URL, or it is none. */
export function originOf(url: string | null | undefined): string | null {
  return URL.parse(url ?? '')?.origin ?? null
}
