import type { Card } from '../chat.ts'

export const openToDecide = 'Open to decide'

/**
 * Nobody approves what the card does not show: a shortened request is decided where all of it is shown. A destructive call is
 * confirmed in the channel and nowhere else, so its card keeps the button beside the link.
 */
export function mustOpen({ state, confirm }: Pick<Card, 'state' | 'confirm'>, isShortened: boolean): boolean {
  return state === 'pending' && isShortened && !confirm
}
