import type { StateSeries } from './activity-filter.tsx'

/** Runs by what became of them; what fails is at the bottom, where it is seen first. */
export const outcomeSeries: StateSeries[] = [
  { name: 'Failed', colour: 'var(--bad)', states: ['failed'], of: ({ runs }) => runs.failed },
  { name: 'Succeeded', colour: 'var(--good)', states: ['succeeded'], of: ({ runs }) => runs.succeeded },
  {
    name: 'Active',
    colour: 'var(--busy)',
    states: ['queued', 'running', 'waiting'],
    of: ({ runs }) => runs.active,
  },
  { name: 'Canceled', colour: 'var(--line-strong)', states: ['cancelled'], of: ({ runs }) => runs.cancelled },
]
