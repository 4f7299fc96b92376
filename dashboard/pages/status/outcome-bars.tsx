import type { Stats } from '../../contract.ts'
import { MiniBars } from '../../ui/charts/mini-bars.tsx'
import { plural } from '../../ui/text/plural.ts'

type Row = Pick<Stats['byWebhook'][number], 'events' | 'runs' | 'perHour' | 'refusedPerHour'>

/** What became of the deliveries of a webhook in the last 24 hours. */
export function OutcomeBars({ row: { events, runs, perHour, refusedPerHour } }: { row: Row }) {
  const refused = refusedPerHour.reduce((sum, count) => sum + count, 0)
  const label = [
    `${plural(events, 'event')} in the last 24 hours`,
    `${runs.succeeded} succeeded`,
    `${runs.failed} failed`,
    `${runs.active} active`,
    `${refused} refused`,
  ].join(', ')
  return (
    <MiniBars
      label={label}
      series={[
        { colour: 'var(--bad)', values: perHour.failed },
        { colour: 'var(--span-waiting)', values: refusedPerHour },
        { colour: 'var(--good)', values: perHour.succeeded },
        { colour: 'var(--busy)', values: perHour.active },
      ]}
    />
  )
}
