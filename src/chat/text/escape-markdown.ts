/** Escapes a foreign name for our Markdown: it cannot start code, hide text, link or mention anything. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*|<>[\]#]|~(?=~)/g, '\\$&')
}
