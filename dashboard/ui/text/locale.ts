let chosen = 'en-US'

/** In which language dates and numbers are written. The words around them stay English. */
export function setLocale(tag: string): void {
  chosen = tag
}

export const locale = () => chosen

/** Formatters are slow to make: one of each is kept for the language in use. */
export function perLocale<Format>(make: (tag: string) => Format): () => Format {
  let made: { tag: string; format: Format } | null = null
  return () => {
    if (made?.tag !== chosen) made = { tag: chosen, format: make(chosen) }
    return made.format
  }
}
