import type { Card } from '../chat.ts'

/** The platform's markup. A name is foreign text, so it is escaped if the platform reads markup. */
type Markup = { bold?: (text: string) => string; quote?: (text: string) => string }

const labels = { approved: 'Approved', denied: 'Denied', expired: 'Expired', void: 'No longer valid' }

/** How the card's question ended, in the same words on every platform; null while it is pending. */
export function describeOutcome(
  { state, decidedBy, outcome }: Card,
  { bold = unchanged, quote = unchanged }: Markup = {},
): string | null {
  if (state === 'pending') return null
  const who = decidedBy ? ` by ${quote(decidedBy)}` : ''
  return bold(labels[state]) + who + (outcome ? ` ${quote(outcome)}` : '')
}

function unchanged(text: string): string {
  return text
}
