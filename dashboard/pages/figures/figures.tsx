import { Button, Group, SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { toolLabel } from '../../../src/shared/tool-label.ts'
import { groupings } from '../../../src/status/figures/contract.ts'
import { apiUrl, withQuery } from '../../api.ts'
import type { Figures } from '../../contract.ts'
import { pollMs, useOne } from '../../hooks/use-api.ts'
import { useUrlChoice } from '../../hooks/use-filter.ts'
import { Empty } from '../../ui/feedback/empty.tsx'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { BackTo } from '../../ui/layout/back-to.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { capitalize } from '../../ui/text/capitalize.ts'
import { formatNumber } from '../../ui/text/format-number.ts'
import { formatDollars } from '../status/format-dollars.ts'
import { formatSeconds } from '../status/format-seconds.ts'

type Figure = Figures['items'][number]

const spans = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
]

/** What each webhook, tool or model did, cost and was told: the same columns whatever they are grouped by. */
export default function FiguresPage() {
  const [by, setBy] = useUrlChoice('by', groupings)
  const [days, setDays] = useUrlChoice('days', ['30', '7', '90'])
  const figures = useOne<Figures>(withQuery('/figures', { by, days }), pollMs)
  const file = `figures-by-${by}.csv`
  return (
    <Page title="Figures" back={<BackTo to="/" what="home" />} wide>
      <Stack>
        <Group justify="space-between" gap={8}>
          <Group gap={8}>
            <Select
              size="xs"
              w={150}
              aria-label="Group by"
              data={groupings.map((value) => ({ value, label: `By ${value}` }))}
              allowDeselect={false}
              value={by}
              onChange={setBy}
            />
            <SegmentedControl
              size="xs"
              aria-label="Time range"
              value={days}
              onChange={(value) => setDays(value)}
              data={spans}
            />
          </Group>
          <Button
            component="a"
            href={apiUrl(withQuery('/figures/csv', { by, days }))}
            download={file}
            size="xs"
            variant="default"
            leftSection={<IconDownload size="0.875rem" aria-hidden />}
          >
            CSV
          </Button>
        </Group>
        <QueryView query={figures}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty purpose={`No ${by} was at work in this period`} />
            ) : (
              <>
                <DataTable
                  key={by}
                  label={`Figures by ${by}`}
                  rows={items}
                  columns={[
                    {
                      name: capitalize(by),
                      grow: true,
                      sort: (row) => nameOf(by, row),
                      cell: (row) => nameOf(by, row),
                    },
                    { name: by === 'tool' ? 'Calls' : 'Runs', ...numeric(({ calls }) => calls) },
                    ...columns.filter(({ name }) => by !== 'tool' || name !== 'Cost'),
                  ]}
                  trouble={({ failed }) => failed}
                  rowHref={({ id, name }) => linkTo(by, id, name)}
                />
                <Text size="xs" c="dimmed">
                  {by === 'tool'
                    ? 'Requests that were sent. What a run costs is not divided among its tools; thumbs are for the replies of runs that called the tool.'
                    : 'Runs that ended, by the day on which they were requested (UTC). Dry runs count only as cost.'}
                </Text>
              </>
            )
          }
        </QueryView>
      </Stack>
    </Page>
  )
}

function numeric(value: (row: Figure) => number | null, write: (value: number) => string = formatNumber) {
  return {
    numeric: true,
    sort: value,
    cell: (row: Figure) => {
      const one = value(row)
      return one === null ? '–' : write(one)
    },
  } satisfies Omit<Column<Figure>, 'name'>
}

const columns: Column<Figure>[] = [
  {
    ...numeric(({ failed }) => failed),
    name: 'Failed',
    cell: ({ failed, calls }) => (
      <Text
        span
        size="sm"
        title={calls > 0 ? `${Math.round((failed / calls) * 100)} %` : undefined}
        {...(failed > 0 ? { c: 'var(--bad)', fw: 600 } : {})}
      >
        {formatNumber(failed)}
      </Text>
    ),
  },
  { name: 'p95', narrow: 'hide', ...numeric(({ p95Seconds }) => p95Seconds, formatSeconds) },
  // As in the list of runs: without a price, nobody knows what they cost.
  { name: 'Cost', narrow: 'hide', ...numeric(({ cost }) => cost || null, formatDollars) },
  { name: 'Approvals asked', narrow: 'wide-only', ...numeric(({ approvals }) => approvals.asked) },
  { name: 'Denied', narrow: 'wide-only', ...numeric(({ approvals }) => approvals.denied) },
  { name: 'Good replies', narrow: 'wide-only', ...numeric(({ thumbs }) => thumbs.up) },
  { name: 'Bad replies', narrow: 'hide', ...numeric(({ thumbs }) => thumbs.down) },
]

type Grouping = (typeof groupings)[number]

function nameOf(by: Grouping, { name }: Figure): string {
  if (name === null) return 'Deleted'
  return by === 'tool' ? toolLabel(name) : name
}

function linkTo(by: Grouping, id: string, name: string | null): string | undefined {
  if (by === 'model') return withQuery('/runs', { model: id })
  if (by === 'tool') return withQuery('/runs', { toolId: id })
  if (by === 'revision') {
    const [source = ''] = id.split('#')
    return name === null
      ? undefined
      : `/${source.startsWith('hook_') ? 'webhook' : 'schedule'}s/${source}?tab=history`
  }
  return name === null ? undefined : `/${by}s/${id}`
}
