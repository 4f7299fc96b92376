import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { call } from '../../api.ts'
import type { Rehearsal } from '../../contract.ts'
import { useAction } from '../../hooks/use-action.ts'
import { StatusBadge } from '../../ui/feedback/status-badge.tsx'
import { Facts } from '../../ui/layout/facts.tsx'
import { capitalize } from '../../ui/text/capitalize.ts'
import { formatNumber } from '../../ui/text/format-number.ts'
import { plural } from '../../ui/text/plural.ts'
import { formatMilliseconds } from '../runs/format-duration.ts'
import { formatDollars } from '../status/format-dollars.ts'
import { outcomes, statuses } from './outcomes.ts'

/** How far it is, how many events have which outcome, and what the change costs and takes. */
export function RehearsalSummary({ rehearsal }: { rehearsal: Rehearsal }) {
  const { id, status, compared, total, counts, cost, p95Ms, spent, budget, problem, endedAt } = rehearsal
  const cancel = useAction(() => call<Rehearsal>('POST', `/rehearsals/${id}/cancel`), {
    words: rehearsal.isDrill ? 'Drill canceled' : 'Rehearsal canceled',
    changes: [`/rehearsals/${id}`],
  })
  // What a drill has found is told by order, and there is nothing before.
  const { isDrill } = rehearsal
  const found = isDrill ? [] : outcomes.filter((one) => counts[one.id] > 0)
  const { passed, failed } = rehearsal.checks
  const [things, done] = isDrill ? ['orders', 'tried'] : ['events', 'compared']
  return (
    <Stack gap={12}>
      <Group gap={12}>
        <StatusBadge {...statuses[status]} />
        <Text size="sm">{`${formatNumber(compared)} of ${formatNumber(total)} ${things} ${done}`}</Text>
        {endedAt === null && (
          <Button
            size="compact-sm"
            variant="default"
            loading={cancel.isPending}
            onClick={() => cancel.mutate()}
          >
            {isDrill ? 'Cancel drill' : 'Cancel rehearsal'}
          </Button>
        )}
      </Group>
      {endedAt === null && (
        <Progress
          value={(compared / Math.max(total, 1)) * 100}
          aria-label={`${capitalize(things)} ${done}`}
          animated
        />
      )}
      {rehearsal.verdict && <Text size="sm">{rehearsal.verdict}</Text>}
      {problem && <Text size="sm">{problem}</Text>}
      {found.length + passed + failed > 0 && (
        <Group gap={16}>
          {found.map(({ id: outcome, tone, word }) => (
            <StatusBadge key={outcome} tone={tone} word={`${formatNumber(counts[outcome])} ${word}`} />
          ))}
          {passed + failed > 0 && (
            <StatusBadge
              tone={failed > 0 ? 'bad' : 'good'}
              word={
                failed > 0
                  ? `${formatNumber(failed)} of ${plural(passed + failed, 'check')} failed`
                  : `${plural(passed, 'check')} passed`
              }
            />
          )}
        </Group>
      )}
      {compared > 0 && (
        <Facts
          of={{
            ...(isDrill
              ? {}
              : {
                  Cost: `${formatDollars(cost.before)} → ${formatDollars(cost.after)}`,
                  p95: `${formatMilliseconds(p95Ms.before)} → ${formatMilliseconds(p95Ms.after)}`,
                }),
            Spent: `${formatDollars(spent)} of ${formatDollars(budget)}`,
          }}
        />
      )}
    </Stack>
  )
}
