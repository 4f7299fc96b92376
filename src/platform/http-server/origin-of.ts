/** Null if the text is missing or not a URL. */
export function originOf(url: string | null | undefined): string | null {
  return URL.parse(url ?? '')?.origin ?? null
}
