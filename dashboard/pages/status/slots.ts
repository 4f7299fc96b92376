import type { Stats } from '../../contract.ts'
import { perLocale } from '../../ui/text/locale.ts'

/** An hour or a day of the figures, with its place among them. */
export type Slot = Stats['hours'][number] & { index: number }

export const slotsOf = ({ hours }: Stats): Slot[] => hours.map((hour, index) => ({ ...hour, index }))

const hourMs = 3_600_000

const days = perLocale(
  (tag) => new Intl.DateTimeFormat(tag, { month: 'short', day: 'numeric', timeZone: 'UTC' }),
)
const hour = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
const hoursOfDay = perLocale((tag) => new Intl.DateTimeFormat(tag, hour))
const hoursOfWeek = perLocale((tag) => new Intl.DateTimeFormat(tag, { ...hour, weekday: 'short' }))

/** "14:00", "Tue 14:00" or "Nov 18": as much as tells one from another. Days are those of UTC, in which they were counted. */
export function labelOf({ slotHours, hours }: Pick<Stats, 'slotHours' | 'hours'>): (slot: Slot) => string {
  const format = slotHours > 1 ? days() : hours.length > 24 ? hoursOfWeek() : hoursOfDay()
  return ({ at }) => format.format(new Date(at))
}

/** The list filters that cover the slots from the first to the last. */
export function rangeOf(first: { at: string }, last: { at: string }, slotHours: number) {
  return { from: first.at, to: new Date(new Date(last.at).getTime() + slotHours * hourMs).toISOString() }
}
