import { Anchor, Button, Group, NumberInput, Popover, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconFlask } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { describeCheck } from '../../../../src/runs/rehearsals/cases/contract.ts'
import { call } from '../../../api.ts'
import type { Case, Rehearsal } from '../../../contract.ts'
import { useAction } from '../../../hooks/use-action.ts'
import { useList } from '../../../hooks/use-api.ts'
import { askToConfirm } from '../../../ui/feedback/ask-to-confirm.ts'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { ErrorAlert } from '../../../ui/feedback/error-alert.tsx'
import { StatusBadge } from '../../../ui/feedback/status-badge.tsx'
import { type Column, DataTable } from '../../../ui/table/data-table.tsx'
import { ListView } from '../../../ui/table/list-view.tsx'
import { RelativeTime } from '../../../ui/text/relative-time.tsx'
import type { Target } from '../use-rehearse.ts'

const columns: Column<Case>[] = [
  { name: 'Case', grow: 'little', sort: ({ name }) => name, cell: ({ name }) => name },
  {
    name: 'Checks',
    grow: true,
    narrow: 'below',
    cell: ({ checks, eventErased }) =>
      eventErased
        ? 'Its event was erased, so nothing can be checked.'
        : checks.map(describeCheck).join(' · '),
  },
  {
    name: 'Last result',
    sort: ({ lastResult }) => (lastResult ? Number(lastResult.passed) : null),
    cell: ({ lastResult }) => <Result of={lastResult} />,
  },
  { name: 'Kept', narrow: 'wide-only', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
  { name: 'By', narrow: 'wide-only', cell: ({ createdBy }) => createdBy },
  { name: 'Delete', narrow: 'hide', cell: (one) => <DeleteCase of={one} /> },
]

/** The cases of a webhook or schedule, and what the latest rehearsal of each has found. */
export function Cases({ target }: { target: Target }) {
  const cases = useList<Case>('/cases', target)
  return (
    <ListView
      query={cases}
      empty={
        <Empty
          icon={<IconFlask size="1.75rem" stroke={1.5} aria-hidden />}
          purpose="Cases are events with checks: what the agent must do with them, whatever you change."
          example="Open an event and choose “Keep as a case”. A bad reply is one click away from that."
        />
      }
    >
      {(items) => (
        <Stack>
          <Group justify="space-between">
            <Text size="sm" c="dimmed">
              Rehearsed with the saved settings. Nothing is sent or posted.
            </Text>
            <RunCases target={target} />
          </Group>
          <DataTable
            label="Cases"
            rows={items}
            columns={columns}
            rowHref={({ eventId }) => `/events/${eventId}?case=edit`}
          />
        </Stack>
      )}
    </ListView>
  )
}

function Result({ of }: { of: Case['lastResult'] }) {
  if (!of) return 'Not run yet'
  return (
    <Anchor component={Link} to={`/rehearsals/${of.rehearsalId}?show=all`} underline="hover">
      <StatusBadge tone={of.passed ? 'good' : 'bad'} word={of.passed ? 'passed' : 'failed'} />
    </Anchor>
  )
}

function DeleteCase({ of: { id, name } }: { of: Case }) {
  const remove = useAction(() => call<void>('DELETE', `/cases/${id}`), {
    words: 'Case deleted',
    changes: ['/cases'],
  })
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      color="gray"
      loading={remove.isPending}
      onClick={(event) => {
        event.stopPropagation()
        askToConfirm({
          title: `Delete the case ${name}?`,
          text: 'Its event stays until it is deleted for its age.',
          action: 'Delete case',
          onConfirm: () => remove.mutate(),
        })
      }}
    >
      Delete
    </Button>
  )
}

function RunCases({ target }: { target: Target }) {
  const [opened, { toggle, close }] = useDisclosure()
  const [budget, setBudget] = useState<number | string>(1)
  const navigate = useNavigate()
  const start = useMutation({
    mutationFn: () =>
      call<Rehearsal>('POST', '/rehearsals', { target, events: { cases: true }, budget: Number(budget) }),
    onSuccess: ({ id }) => {
      close()
      void navigate({ to: `/rehearsals/${id}`, search: { show: 'all' } })
    },
  })
  return (
    <Popover opened={opened} onChange={toggle} width={280} position="bottom-end" trapFocus shadow="md">
      <Popover.Target>
        <Button size="xs" onClick={toggle} aria-expanded={opened}>
          Run all cases…
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap={12}>
          <NumberInput
            label="Budget (USD)"
            description="The rehearsal ends at this cost."
            min={0}
            step={0.5}
            value={budget}
            onChange={setBudget}
          />
          {start.error && <ErrorAlert error={start.error} />}
          <Button loading={start.isPending} disabled={!(Number(budget) > 0)} onClick={() => start.mutate()}>
            Run all cases
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}
