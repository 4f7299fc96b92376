import { MiniBars } from '../../../ui/charts/mini-bars.tsx'
import { plural } from '../../../ui/text/plural.ts'
import type { Health } from './use-tool-health.ts'

export function CallBars({ health, width }: { health: Health; width: number }) {
  return (
    <MiniBars
      width={width}
      label={`${plural(health.calls, 'call')} in the last 48 hours, ${plural(health.errors, 'error')}`}
      series={[
        { colour: 'var(--bad)', values: health.perHour.failed },
        { colour: 'var(--good)', values: health.perHour.ok },
      ]}
    />
  )
}
