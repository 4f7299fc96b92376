/** No platform writes more for one character. */
const longestMark = 6

/**
 * What fits into a card of a platform, in the platform's own writing: what it writes for a mark may be longer than the mark. The
 * beginning says most: method, address, headers.
 */
export function shortenRequest(
  request: string,
  maxLength: number,
  write = (text: string) => text,
): { shown: string; isShortened: boolean } {
  if (request.length <= maxLength) {
    const whole = write(request)
    if (whole.length <= maxLength) return { shown: whole || '(empty)', isShortened: false }
  }
  let kept = request.slice(0, maxLength)
  for (;;) {
    const shown = `${write(kept.toWellFormed())}…`
    if (shown.length <= maxLength) return { shown, isShortened: true }
    kept = kept.slice(0, -Math.ceil((shown.length - maxLength) / longestMark))
  }
}
