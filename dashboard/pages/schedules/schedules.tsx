import { Button, Stack } from '@mantine/core'
import { IconClock } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { call } from '../../api.ts'
import type { Schedule } from '../../contract.ts'
import { useBulk } from '../../hooks/use-bulk.ts'
import { useFilter } from '../../hooks/use-filter.ts'
import { EmptyList } from '../../ui/feedback/empty-list.tsx'
import { StatusBadge } from '../../ui/feedback/status-badge.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { BulkButton } from '../../ui/table/bulk-button.tsx'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { isEmpty, ListView } from '../../ui/table/list-view.tsx'
import { SearchField } from '../../ui/table/search-field.tsx'
import { plural } from '../../ui/text/plural.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { EventStatusBadge } from '../events/event-status.tsx'
import { useSchedules } from './use-schedules.ts'

export default function Schedules() {
  const [q, setQ] = useFilter('q')
  const schedules = useSchedules(q)
  const create = (
    <Button component={Link} to="/schedules/new" size="xs">
      New schedule
    </Button>
  )
  const columns: Column<Schedule>[] = [
    { name: 'Name', grow: true, sort: ({ name }) => name, cell: (schedule) => schedule.name },
    { name: 'State', cell: (schedule) => <ScheduleState schedule={schedule} /> },
    { name: 'When', grow: true, narrow: 'below', cell: (schedule) => schedule.inWords },
    {
      name: 'Next',
      sort: ({ nextTimes: [next] }) => next,
      cell: ({ nextTimes: [next] }) => <RelativeTime at={next} none="–" />,
    },
    {
      name: 'Last',
      narrow: 'hide',
      cell: ({ lastOutcomes: [last] }) => (last ? <EventStatusBadge status={last.status} /> : '–'),
    },
    {
      name: 'Channel',
      narrow: 'wide-only',
      sort: ({ channelName }) => channelName,
      cell: (schedule) => schedule.channelName ?? '–',
    },
  ]
  return (
    <Page title="Schedules" wide action={create}>
      <Stack>
        {(q !== undefined || !isEmpty(schedules)) && (
          <SearchField label="Search schedules" value={q} onChange={setQ} />
        )}
        <ListView
          query={schedules}
          empty={
            <EmptyList
              what="schedules"
              to="/schedules"
              filtered={q !== undefined}
              searched="Search covers names and prompts."
              icon={<IconClock size="1.75rem" stroke={1.5} aria-hidden />}
              purpose="A schedule asks the agent at fixed times. It follows your prompt and replies in a channel."
              example="“Every weekday at nine, tell #orders which orders came in overnight and which are still unpaid.”"
              action={create}
            />
          }
        >
          {(items) => (
            <DataTable
              label="Schedules"
              rows={items}
              columns={columns}
              rowHref={(schedule) => `/schedules/${schedule.id}`}
              rowName={({ name }) => name}
              // What fails or is paused comes first.
              trouble={({ paused, lastOutcomes: [last] }) =>
                Number(paused) + Number(['failed', 'dead', 'missed'].includes(last?.status ?? ''))
              }
              bulk={(rows, clear) => <BulkActions schedules={rows} onDone={clear} />}
            />
          )}
        </ListView>
      </Stack>
    </Page>
  )
}

function ScheduleState({ schedule }: { schedule: Schedule }) {
  if (!schedule.active) return <StatusBadge tone="idle" word="inactive" />
  if (schedule.paused) return <StatusBadge tone="waiting" word="paused" />
  if (schedule.nextTimes.length === 0) return <StatusBadge tone="idle" word="finished" />
  return <StatusBadge tone="good" word="active" />
}

function BulkActions({ schedules, onDone }: { schedules: Schedule[]; onDone: () => void }) {
  const active = schedules.filter((schedule) => schedule.active)
  const options = { what: 'schedule', changes: ['/schedules'] }
  const set =
    (patch: { active: boolean } | { paused: false }) =>
    ({ id }: Schedule) =>
      call('PATCH', `/schedules/${id}`, patch)
  const deactivate = useBulk(set({ active: false }), { done: 'Deactivated', ...options })
  const activate = useBulk(set({ active: true }), { done: 'Activated', ...options })
  const resume = useBulk(set({ paused: false }), { done: 'Resumed', ...options })
  return (
    <>
      <BulkButton
        verb="Deactivate"
        rows={active}
        action={deactivate}
        onDone={onDone}
        ask={{
          question: `Deactivate ${plural(active.length, 'schedule')}?`,
          text: 'Times that pass while a schedule is inactive are skipped. Nothing is deleted.',
        }}
      />
      <BulkButton
        verb="Activate"
        rows={schedules.filter((schedule) => !schedule.active)}
        action={activate}
        onDone={onDone}
      />
      <BulkButton
        verb="Resume"
        rows={active.filter(({ paused }) => paused)}
        action={resume}
        onDone={onDone}
      />
    </>
  )
}
