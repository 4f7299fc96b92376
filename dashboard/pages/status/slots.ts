import type { Stats } from '../../contract.ts'
import { locale } from '../../ui/text/locale.ts'

/** An hour or a day of the figures, with its place among them. */
export type Slot = Stats['hours'][number] & { index: number }

export const slotsOf = ({ hours }: Stats): Slot[] => hours.map((hour, index) => ({ ...hour, index }))

const hourMs = 3_600_000

/** "14:00", "Tue 14:00" or "Nov 18": as much as tells one from another. Days are those of UTC, in which they were counted. */
export function labelOf({ slotHours, hours }: Pick<Stats, 'slotHours' | 'hours'>): (slot: Slot) => string {
  if (slotHours > 1) {
    return ({ at }) =>
      new Date(at).toLocaleDateString(locale(), { month: 'short', day: 'numeric', timeZone: 'UTC' })
  }
  const day = hours.length > 24 ? ({ weekday: 'short' } as const) : {}
  return ({ at }) =>
    new Date(at).toLocaleString(locale(), { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
}

/** The list filters that cover the slots from the first to the last. */
export function rangeOf(first: { at: string }, last: { at: string }, slotHours: number) {
  return { from: first.at, to: new Date(new Date(last.at).getTime() + slotHours * hourMs).toISOString() }
}
