const invisible = '\u200b'
/** Only with one of these after it can `![` be an image: an inline address, or a reference definition. */
const address = /\](\(|:)/

/**
 * For platforms that load images: breaks all of them, even in what looks like code, since Markdown parsers disagree on where code
 * begins and ends.
 */
export function breakImages(markdown: string): string {
  const text = address.test(markdown) ? markdown.replaceAll('![', `!${invisible}[`) : markdown
  return text.replaceAll(/<(?=(img|picture|source|video|audio|image)\b)/gi, `<${invisible}`)
}
