type Converter = { fromMarkdown(markdown: string): string }

/** In a platform's own marks; null where the text is nested deeper than any converter goes, like thousands of quotes inside of quotes. */
export function convertMarkdown(converter: Converter, markdown: string): string | null {
  try {
    return converter.fromMarkdown(markdown)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}
