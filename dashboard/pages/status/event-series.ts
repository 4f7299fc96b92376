import type { StateSeries } from './activity-filter.tsx'
import type { Slot } from './slots.ts'

export const eventSeries: StateSeries[] = [
  {
    name: 'With a run',
    colour: 'var(--accent)',
    states: ['accepted', 'dispatched', 'waiting', 'done', 'failed', 'dead', 'ignored'],
    of: (slot) => slot.events - countWithoutRun(slot),
  },
  {
    name: 'Without a run',
    colour: 'var(--line-strong)',
    states: ['skipped', 'notified', 'joined', 'missed'],
    of: countWithoutRun,
  },
]

/** A rule skipped, notified or collected them, or their schedule was not due. */
export function countWithoutRun({ withoutRun }: Pick<Slot, 'withoutRun'>): number {
  return withoutRun.skipped + withoutRun.notified + withoutRun.joined + withoutRun.missed
}
