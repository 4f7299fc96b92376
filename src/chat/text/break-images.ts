const invisible = '\u200b'
/** Without one of these behind it no `![` is an image: its address, or that of one which is named elsewhere. */
const address = /\](\(|:)/

/**
 * For a platform that loads images: none is left, not even in what looks like code, since readers of Markdown do not agree on where code
 * begins and ends.
 */
export function breakImages(markdown: string): string {
  const text = address.test(markdown) ? markdown.replaceAll('![', `!${invisible}[`) : markdown
  return text.replaceAll(/<(?=(img|picture|source|video|audio|image)\b)/gi, `<${invisible}`)
}
