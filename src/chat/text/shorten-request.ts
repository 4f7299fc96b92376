/** What fits into a card of a platform. The beginning says most: method, address, headers. */
export function shortenRequest(request: string, maxLength: number): { shown: string; isShortened: boolean } {
  if (request.length <= maxLength) return { shown: request || '(empty)', isShortened: false }
  return { shown: `${request.slice(0, maxLength - 1).toWellFormed()}…`, isShortened: true }
}
