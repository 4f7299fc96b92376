import { Anchor, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { describeCheck } from '../../../src/runs/rehearsals/cases/contract.ts'
import type { Rehearsal } from '../../contract.ts'
import { LineDiff } from '../../ui/code/line-diff.tsx'
import { Markdown } from '../../ui/code/markdown.tsx'
import { StatusBadge } from '../../ui/feedback/status-badge.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { Collapsible } from '../../ui/layout/collapsible.tsx'
import { capitalize } from '../../ui/text/capitalize.ts'
import { formatMilliseconds } from '../runs/format-duration.ts'
import { formatDollars } from '../status/format-dollars.ts'
import { outcomes } from './outcomes.ts'

type Event = Rehearsal['events'][number]
type Behaviour = NonNullable<Event['after']>

/** One event with what really happened and what would happen, side by side. */
export function RehearsedEvent({ event }: { event: Event }) {
  const { eventId, summary, outcome, before, after, newWrites, goneWrites, checks } = event
  const hasFailed = checks.some(({ passed }) => passed === false)
  const look = outcomes.find(({ id }) => id === outcome) ?? { tone: 'idle' as const, word: 'not compared' }
  const [was, is] = [before?.reply ?? '', after?.reply ?? '']
  return (
    <Collapsible
      // Opened by itself once it was compared.
      key={outcome}
      title={summary ?? eventId}
      summary={
        <Group gap={12} justify="flex-end">
          {hasFailed && <StatusBadge tone="bad" word="check failed" />}
          <StatusBadge tone={look.tone} word={look.word} />
        </Group>
      }
      open={outcome === 'newWrite' || hasFailed}
    >
      <Stack gap={12}>
        <Checks of={checks} />
        <Calls tone="bad" title="New write asked for" calls={newWrites} />
        <Calls tone="waiting" title="Write no longer asked for" calls={goneWrites} />
        <Calls tone="waiting" title="Not in the recording" calls={after?.notRecorded ?? []} />
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Side title="Before" of={before} />
          <Side title="With the change" of={after} />
        </SimpleGrid>
        {was !== is && was !== '' && is !== '' && (
          <LineDiff label="Difference of the replies" before={was} after={is} />
        )}
        <Anchor component={Link} to={`/events/${eventId}`} size="sm">
          Open event
        </Anchor>
      </Stack>
    </Collapsible>
  )
}

function Checks({ of }: { of: Event['checks'] }) {
  return of.map((check) => (
    <Group key={JSON.stringify(check)} gap={8}>
      <StatusBadge
        tone={check.passed === null ? 'idle' : check.passed ? 'good' : 'bad'}
        word={check.passed === null ? 'not checked' : check.passed ? 'passed' : 'failed'}
      />
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {describeCheck(check)}
      </Text>
    </Group>
  ))
}

type CallsProps = { tone: 'bad' | 'waiting'; title: string; calls: Behaviour['writes'] }

function Calls({ tone, title, calls }: CallsProps): ReactNode {
  if (calls.length === 0) return null
  return (
    <Stack gap={4}>
      {calls.map(({ tool, input }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the calls of one run, in their order
        <Group key={at} gap={8}>
          <StatusBadge tone={tone} word={title} />
          <Code style={{ overflowWrap: 'anywhere' }}>{`${tool} ${JSON.stringify(input)}`}</Code>
        </Group>
      ))}
    </Stack>
  )
}

function Side({ title, of }: { title: string; of: Behaviour | null }) {
  return (
    <Card label={title}>
      <Stack gap={8}>
        <Group gap={8}>
          <Text fw={500}>{title}</Text>
          <Text size="xs" c="dimmed">
            {of ? `${capitalize(of.ended)}${of.runId ? figuresOf(of) : ''}` : 'No run is kept'}
          </Text>
          {of?.runId && (
            <Anchor component={Link} to={`/runs/${of.runId}`} size="xs">
              Open run
            </Anchor>
          )}
        </Group>
        {of?.reply ? <Markdown text={of.reply} /> : <Text c="dimmed">{of?.error ?? 'No reply'}</Text>}
        {of && <Calls tone="waiting" title="Write" calls={of.writes} />}
        {of && (
          <Calls
            tone="bad"
            title="Would be sent without a person"
            calls={of.tried.filter(({ capability, would }) => capability !== 'read' && would === 'send')}
          />
        )}
      </Stack>
    </Card>
  )
}

function figuresOf({ cost, workMs }: Behaviour): string {
  return ` · ${formatMilliseconds(workMs)} · ${formatDollars(cost)}`
}
