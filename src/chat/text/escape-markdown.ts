/** A name of somebody else in Markdown of ours: it neither begins a block of code nor hides, links or calls anything. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*|<>[\]#]|~(?=~)/g, '\\$&')
}
