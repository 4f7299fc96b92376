import type { Card } from '../chat.ts'

/** The most characters that a platform writes for one. */
const longestMark = 6

/**
 * The part of a request that fits into a platform's card, measured after escaping, which may lengthen it. Headers are left out first,
 * then the middle of the body: what matters is at the beginning, and what somebody wants to hide is at the end.
 */
export function shortenRequest(
  { request, headers = '' }: Pick<Card, 'request' | 'headers'>,
  maxLength: number,
  write = (text: string) => text,
): { shown: string; isShortened: boolean } {
  const whole = headers === '' ? request : `${request}\n\nHeaders:\n${headers}`
  for (const text of new Set([whole, request])) {
    if (text.length > maxLength) continue
    const shown = write(text)
    if (shown.length <= maxLength) return { shown: shown || '(empty)', isShortened: text !== whole }
  }
  for (let room = maxLength; room > 0; ) {
    const end = Math.floor(room / 3)
    const kept = `${request.slice(0, room - end).toWellFormed()}\n…\n${end > 0 ? request.slice(-end).toWellFormed() : ''}`
    const shown = write(kept)
    if (shown.length <= maxLength) return { shown, isShortened: true }
    room -= Math.ceil((shown.length - maxLength) / longestMark)
  }
  return { shown: '…', isShortened: true }
}
