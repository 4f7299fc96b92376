import type { Series } from '../../ui/charts/bar-chart.tsx'
import type { Slot } from './slots.ts'

/** Runs by what became of them; what fails is at the bottom, where it is seen first. */
export const outcomeSeries: Series<Slot>[] = [
  { name: 'Failed', colour: 'var(--bad)', of: ({ runs }) => runs.failed },
  { name: 'Succeeded', colour: 'var(--good)', of: ({ runs }) => runs.succeeded },
  { name: 'Active', colour: 'var(--busy)', of: ({ runs }) => runs.active },
  { name: 'Canceled', colour: 'var(--line-strong)', of: ({ runs }) => runs.cancelled },
]
