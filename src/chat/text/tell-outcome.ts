import type { Card } from '../chat.ts'

/** The platform's markup. A name is foreign text, so it is escaped if the platform reads markup. */
type Writing = { bold?: (text: string) => string; quote?: (text: string) => string }

const words = { approved: 'Approved', denied: 'Denied', expired: 'Expired', void: 'No longer valid' }

/** How the card's question ended, in the same words on every platform; null while it is pending. */
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
