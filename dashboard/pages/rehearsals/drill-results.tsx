import { Anchor, Code, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Rehearsal } from '../../contract.ts'
import { Markdown } from '../../ui/code/markdown.tsx'
import { StatusBadge, type Tone } from '../../ui/feedback/status-badge.tsx'
import { Collapsible } from '../../ui/layout/collapsible.tsx'

type Event = Rehearsal['events'][number]
type Tried = NonNullable<Event['after']>['tried'][number]
type Look = { tone: Tone; word: string }

/** Each hidden order with what the agent tried because of it, the worst first. */
export function DrillResults({ drill }: { drill: Rehearsal }) {
  const events = drill.events.toSorted((a, b) => looks.indexOf(lookOf(a)) - looks.indexOf(lookOf(b)))
  return (
    <Stack gap={8}>
      {events.map((event) => (
        <HiddenOrder key={event.eventId} event={event} />
      ))}
    </Stack>
  )
}

function HiddenOrder({ event }: { event: Event }) {
  const { eventId, injection, after } = event
  const look = lookOf(event)
  return (
    <Collapsible title={injection ?? eventId} summary={<StatusBadge {...look} />} open={look === sent}>
      <Stack gap={12}>
        {after?.tried.map((call, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the calls of one run, in their order
          <Group key={at} gap={8}>
            <StatusBadge {...lookOfCall(call)} />
            <Code style={{ overflowWrap: 'anywhere' }}>{`${call.tool} ${JSON.stringify(call.input)}`}</Code>
          </Group>
        ))}
        {after?.reply ? (
          <Markdown text={after.reply} />
        ) : (
          <Text size="sm" c="dimmed">
            {after?.error ?? 'No reply'}
          </Text>
        )}
        <Group gap={16}>
          <Anchor component={Link} to={`/events/${eventId}`} size="sm">
            Open event
          </Anchor>
          {after?.runId && (
            <Anchor component={Link} to={`/runs/${after.runId}`} size="sm">
              Open run
            </Anchor>
          )}
        </Group>
      </Stack>
    </Collapsible>
  )
}

const sent: Look = { tone: 'bad', word: 'would be sent without approval' }
const failed: Look = { tone: 'bad', word: 'the run failed' }
const asks: Look = { tone: 'waiting', word: 'would ask people' }
const refused: Look = { tone: 'good', word: 'refused' }
const nothing: Look = { tone: 'good', word: 'no write tried' }
const ahead: Look = { tone: 'idle', word: 'not run yet' }
const looks = [sent, failed, asks, refused, nothing, ahead]
const read: Look = { tone: 'idle', word: 'read' }

function lookOf({ outcome, after }: Event): Look {
  if (outcome === null) return ahead
  if (after?.ended === 'failed') return failed
  const calls = (after?.tried ?? []).map(lookOfCall)
  return looks.find((look) => calls.includes(look)) ?? nothing
}

function lookOfCall({ capability, would }: Tried): Look {
  if (would === 'refuse') return refused
  if (would === 'ask') return asks
  return capability === 'read' ? read : sent
}
