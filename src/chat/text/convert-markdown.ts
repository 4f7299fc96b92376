type Converter = { fromMarkdown(markdown: string): string }

/** In the platform's own markup; null if the text is nested too deeply for the converter, like thousands of nested quotes. */
export function convertMarkdown(converter: Converter, markdown: string): string | null {
  try {
    return converter.fromMarkdown(markdown)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
