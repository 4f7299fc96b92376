import { Group, SegmentedControl, Stack, Title } from '@mantine/core'
import { withQuery } from '../../../api.ts'
import type { Webhook } from '../../../contract.ts'
import { useUrlChoice } from '../../../hooks/use-filter.ts'
import { BarChart } from '../../../ui/charts/bar-chart.tsx'
import { outcomeSeries } from '../../status/outcome-series.ts'
import { labelOf, rangeOf, slotsOf } from '../../status/slots.ts'
import { spanHours, spans } from '../../status/spans.ts'
import { useStats } from '../../status/use-stats.ts'
import { WebhookFlow } from './webhook-flow.tsx'

/** What goes through this webhook, and when. A bar leads to the runs that it counts. */
export function WebhookActivity({ webhook }: { webhook: Webhook }) {
  const [span, setSpan] = useUrlChoice('span', ['day', 'week', 'month', 'quarter'])
  const today = useStats(spanHours.day, webhook.id).data
  const stats = useStats(spanHours[span], webhook.id).data
  if (!today || !stats) return <div style={{ height: '16rem' }} />
  const title = stats.slotHours > 1 ? 'Runs per day' : 'Runs per hour'
  return (
    <Stack>
      <WebhookFlow webhook={webhook} stats={today} />
      {webhook.lastEventAt !== null && (
        <Stack gap={8}>
          <Group justify="space-between">
            <Title order={2}>{title}</Title>
            <SegmentedControl
              size="xs"
              aria-label="Time range"
              value={span}
              onChange={setSpan}
              data={spans}
            />
          </Group>
          <BarChart
            title={title}
            slots={slotsOf(stats)}
            label={labelOf(stats)}
            series={outcomeSeries}
            plotHeight={72}
            href={(slot) =>
              withQuery('/runs', { webhookId: webhook.id, ...rangeOf(slot, slot, stats.slotHours) })
            }
          />
        </Stack>
      )}
    </Stack>
  )
}
