import { Alert, Button, Group, List, Stack, Text, Title } from '@mantine/core'
import { call } from '../../api.ts'
import type { Receipt, Schedule } from '../../contract.ts'
import { useAction } from '../../hooks/use-action.ts'
import { Empty } from '../../ui/feedback/empty.tsx'
import { DataTable } from '../../ui/table/data-table.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { EventStatusBadge } from '../events/event-status.tsx'
import { LiveRun } from '../runs/live-run.tsx'
import { formatIn } from './format-in.ts'

export function ScheduleOverview({ schedule }: { schedule: Schedule }) {
  const path = `/schedules/${schedule.id}`
  const runNow = useAction(() => call<Receipt>('POST', `${path}/run-now`), { changes: [path, '/schedules'] })
  return (
    <Stack gap="lg">
      {schedule.paused && <Paused schedule={schedule} />}
      <Stack gap={8}>
        <Title order={2}>Next runs</Title>
        <Text>{schedule.inWords}</Text>
        {schedule.nextTimes.length === 0 ? (
          <Text c="dimmed">{noTimes(schedule)}</Text>
        ) : (
          <List size="sm" aria-label="Next times">
            {schedule.nextTimes.map((at) => (
              <List.Item key={at}>
                {formatIn(at, schedule.timeZone)}{' '}
                <Text span c="dimmed">
                  (<RelativeTime at={at} />)
                </Text>
              </List.Item>
            ))}
          </List>
        )}
        <Group>
          <Button variant="default" loading={runNow.isPending} onClick={() => runNow.mutate()}>
            Run now
          </Button>
        </Group>
        {runNow.data?.runId && <LiveRun runId={runNow.data.runId} />}
      </Stack>
      <Stack gap={8}>
        <Title order={2}>Recent runs</Title>
        {schedule.lastOutcomes.length === 0 ? (
          <Empty purpose="No runs yet" example="Choose Run now to see what the agent posts." />
        ) : (
          <DataTable
            label="Recent runs"
            rows={schedule.lastOutcomes.map((outcome) => ({ ...outcome, id: outcome.eventId }))}
            columns={[
              { name: 'Due', cell: ({ dueAt }) => formatIn(dueAt, schedule.timeZone) },
              { name: 'Outcome', cell: ({ status }) => <EventStatusBadge status={status} /> },
              ...(schedule.lastOutcomes.some(({ note }) => note)
                ? [
                    {
                      name: 'Note',
                      grow: true,
                      narrow: 'below' as const,
                      cell: ({ note }: { note: string | null }) => note,
                    },
                  ]
                : []),
            ]}
            rowHref={({ eventId }) => `/events/${eventId}`}
          />
        )}
      </Stack>
    </Stack>
  )
}

function noTimes({ active, paused }: Schedule): string {
  if (!active) return 'Inactive. Runs only when you choose Run now.'
  return paused ? 'No runs while the schedule is paused.' : 'The schedule has run and will not run again.'
}

function Paused({ schedule }: { schedule: Schedule }) {
  const path = `/schedules/${schedule.id}`
  const resume = useAction(() => call('PATCH', path, { paused: false }), {
    words: 'Schedule resumed',
    changes: [path, '/schedules'],
  })
  return (
    <Alert color="yellow" variant="outline">
      <Group justify="space-between">
        <Text size="sm">This schedule is paused: {schedule.pauseReason}</Text>
        <Button size="xs" variant="default" loading={resume.isPending} onClick={() => resume.mutate()}>
          Resume
        </Button>
      </Group>
    </Alert>
  )
}
