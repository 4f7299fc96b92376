/** `api key` → `Api key`: labels are in sentence case. */
export function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
