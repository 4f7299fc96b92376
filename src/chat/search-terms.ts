/** Every word must begin a word of the message. Null when there is nothing to look for. */
export function searchTerms(query: string | undefined): string | null {
  const words = query?.match(/[\p{L}\p{N}]+/gu) ?? []
  return words.length === 0
    ? null
    : words
        .slice(0, 20)
        .map((word) => `'${word}':*`)
        .join(' & ')
}
