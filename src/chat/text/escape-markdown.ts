/** Escapes a foreign name for our Markdown: it cannot start code, hide text, link or mention anything. */
export function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*|<>[\]#]|~(?=~)/g, '\\$&')
}

/** Keeps the text from ending the code block it is in: no two backticks stay adjacent. */
export function breakFences(text: string): string {
  return text.replaceAll(/`(?=`)/g, '`\u200b')
}
