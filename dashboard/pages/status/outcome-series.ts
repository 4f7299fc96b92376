import type { StateSeries } from './activity-filter.tsx'

const active = ['queued', 'running', 'waiting']

/** Runs by what became of them; what fails is at the bottom, where it is seen first. */
export const outcomeSeries: StateSeries[] = [
  {
    name: 'Failed',
    colour: 'var(--bad)',
    counts: (state) => state === 'failed',
    of: ({ runs }) => runs.failed,
  },
  {
    name: 'Succeeded',
    colour: 'var(--good)',
    counts: (state) => state === 'succeeded',
    of: ({ runs }) => runs.succeeded,
  },
  {
    name: 'Active',
    colour: 'var(--busy)',
    counts: (state) => active.includes(state),
    of: ({ runs }) => runs.active,
  },
  {
    name: 'Canceled',
    colour: 'var(--line-strong)',
    counts: (state) => state === 'cancelled',
    of: ({ runs }) => runs.cancelled,
  },
]
