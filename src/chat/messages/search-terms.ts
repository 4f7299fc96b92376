/** Every search word must begin a word of the message. Null if there is nothing to search for. */
export function searchTerms(query: string | undefined): string | null {
  const words = query?.match(/[\p{L}\p{N}]+/gu) ?? []
  return words.length === 0
    ? null
    : words
        .slice(0, 20)
        .map((word) => `'${word}':*`)
        .join(' & ')
}
