import type { Policy } from '../../contract.ts'
import type { Tone } from '../../ui/feedback/status-badge.tsx'
import { formatNumber } from '../../ui/text/format-number.ts'
import { plural } from '../../ui/text/plural.ts'

export const decisionLabels: Record<Policy['then'], string> = {
  auto: 'Allow automatically',
  approve: 'Ask for approval',
  confirm: 'Ask in the channel',
  deny: 'Deny',
}

export const stateLabels: Record<Policy['state'], { tone: Tone; word: string }> = {
  active: { tone: 'good', word: 'Active' },
  shadow: { tone: 'busy', word: 'Shadow' },
  paused: { tone: 'waiting', word: 'Paused' },
  expired: { tone: 'idle', word: 'Expired' },
}

/** `20 calls a day, 500 in total` */
export function describeCap(cap: Policy['cap']): string {
  if (!cap) return 'No cap'
  const sum = cap.sum ? `, ${formatNumber(cap.sum.max)} in total` : ''
  return `${plural(cap.calls, 'call')} ${cap.per === 'hour' ? 'an hour' : 'a day'}${sum}`
}
