import { Group } from '@mantine/core'
import { IconMasksTheater } from '@tabler/icons-react'
import type { Rehearsal } from '../../contract.ts'
import { useList } from '../../hooks/use-api.ts'
import { Empty } from '../../ui/feedback/empty.tsx'
import { StatusBadge } from '../../ui/feedback/status-badge.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { formatNumber } from '../../ui/text/format-number.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { formatDollars } from '../status/format-dollars.ts'
import { changeWords, outcomes, statuses } from './outcomes.ts'

/** As the list has them: without their events. */
type Row = Omit<Rehearsal, 'events'>

export default function Rehearsals() {
  return (
    <Page title="Rehearsals" wide>
      <ListView
        query={useList<Row>('/rehearsals', { drills: 'false' }, { live: true })}
        empty={
          <Empty
            icon={<IconMasksTheater size="1.75rem" stroke={1.5} aria-hidden />}
            purpose="A rehearsal tries a change on past events before you save the change."
            example="Change the prompt of a webhook and press “Rehearse…” beside Save."
          />
        }
      >
        {(items) => (
          <DataTable
            label="Rehearsals"
            rows={items}
            columns={columns}
            rowHref={({ id }) => `/rehearsals/${id}`}
          />
        )}
      </ListView>
    </Page>
  )
}

const columns: Column<Row>[] = [
  { name: 'Rehearsal', grow: true, cell: ({ name, change }) => `${name}: ${changeWords(change)}` },
  { name: 'State', cell: ({ status }) => <StatusBadge {...statuses[status]} /> },
  { name: 'When', narrow: 'below', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  {
    name: 'Outcomes',
    grow: true,
    narrow: 'below',
    cell: ({ counts, compared }) =>
      compared === 0 ? (
        '–'
      ) : (
        <Group gap={8}>
          {outcomes
            .filter(({ id }) => counts[id] > 0)
            .map(({ id, tone, word }) => (
              <StatusBadge key={id} tone={tone} word={`${formatNumber(counts[id])} ${word}`} />
            ))}
        </Group>
      ),
  },
  { name: 'Started by', narrow: 'wide-only', cell: ({ createdBy }) => createdBy },
  { name: 'Spent', narrow: 'hide', numeric: true, cell: ({ spent }) => formatDollars(spent) },
]
