import type { Card } from '../chat.ts'

/** The platform's markup. A name is foreign text, so it is escaped if the platform reads markup. */
type Markup = { bold?: (text: string) => string; quote?: (text: string) => string }

const labels = { approved: 'Approved', denied: 'Denied', expired: 'Expired', void: 'No longer valid' }

/** How the card's question ended, in the same words on every platform; null while it is pending. */
export function describeOutcome(
  { state, decidedBy }: Card,
  { bold = unchanged, quote = unchanged }: Markup = {},
): string | null {
  if (state === 'pending') return null
  return bold(labels[state]) + (decidedBy ? ` by ${quote(decidedBy)}` : '')
}

function unchanged(text: string): string {
  return text
}
