import type { Card } from '../chat.ts'

/** How a platform writes; a name is text of somebody else, so it is quoted where the platform reads markup. */
type Writing = { bold?: (text: string) => string; quote?: (text: string) => string }

const words = { approved: 'Approved', denied: 'Denied', expired: 'Expired', void: 'No longer valid' }

/** How the question of a card ended, in the same words on every platform; null while it is open. */
export function tellOutcome(
  { state, decidedBy }: Card,
  { bold = asItIs, quote = asItIs }: Writing = {},
): string | null {
  if (state === 'pending') return null
  return bold(words[state]) + (decidedBy ? ` by ${quote(decidedBy)}` : '')
}

function asItIs(text: string): string {
  return text
}
