/** Null where the text is missing, or is no URL. */
export function originOf(url: string | null | undefined): string | null {
  return URL.parse(url ?? '')?.origin ?? null
}
