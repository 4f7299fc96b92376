/** The most characters that a platform writes for one. */
const longestMark = 6

/**
 * The part of a request that fits into a platform's card, measured after escaping, which may lengthen it. The beginning matters
 * most: method, address, headers.
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
