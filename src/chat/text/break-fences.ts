/** Keeps the text from ending the code block it is in: no two backticks stay adjacent. */
export function breakFences(text: string): string {
  return text.replaceAll(/`(?=`)/g, '`\u200b')
}
