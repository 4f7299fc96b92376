import type { Series } from '../../ui/charts/bar-chart.tsx'
import type { Slot } from './slots.ts'

export const eventSeries: Series<Slot>[] = [
  { name: 'With a run', colour: 'var(--accent)', of: (slot) => slot.events - countWithoutRun(slot) },
  { name: 'Without a run', colour: 'var(--line-strong)', of: countWithoutRun },
]

/** A rule skipped, notified or collected them, or their schedule was not due. */
export function countWithoutRun({ withoutRun }: Pick<Slot, 'withoutRun'>): number {
  return withoutRun.skipped + withoutRun.notified + withoutRun.joined + withoutRun.missed
}
