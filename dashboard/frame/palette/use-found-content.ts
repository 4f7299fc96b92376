import { useDebouncedValue } from '@mantine/hooks'
import { IconHash, IconInbox, IconPlayerPlay, IconTool } from '@tabler/icons-react'
import { toolLabel } from '../../../src/shared/tool-label.ts'
import { type Paged, withQuery } from '../../api.ts'
import type { CallableTool, LedgerEvent, Message, RunRow } from '../../contract.ts'
import { useOne } from '../../hooks/use-api.ts'
import { linkToMessage } from '../../pages/channels/messages/link-to-message.ts'
import { outcomeOf, sourceOf } from '../../pages/runs/run-headline.ts'

export type Found = { id: string; label: string; kind: string; Icon: typeof IconTool; to: string }

const most = 5
const typingMs = 250
/** Fewer letters are in almost everything. */
const fewestLetters = 3

/** The page of a thing, by how its id begins. */
const pages: Record<string, string> = {
  run: '/runs',
  evt: '/events',
  apr: '/approvals',
  hook: '/webhooks',
  sched: '/schedules',
  con: '/connectors',
  chan: '/channels',
  pol: '/policies',
}

/** Tools, messages, runs and events with these words, or the thing with this id. */
export function useFoundContent(query: string, operator: boolean): Found[] {
  const [q] = useDebouncedValue(query.trim().slice(0, 80), typingMs)
  const isLong = q.length >= fewestLetters
  const prefix = /^([a-z]+)_[0-9a-f-]{36}$/.exec(q)?.[1]
  const path = prefix && pages[prefix]
  const asked = (list: string, filter: string) =>
    isLong && !path ? withQuery(list, { [filter]: q, limit: most }) : null
  const tools = useOne<{ items: CallableTool[] }>(operator ? '/tools' : null)
  const messages = useOne<Paged<Message>>(asked('/messages', 'q'))
  const runs = useOne<Paged<RunRow>>(asked('/runs', 'q'))
  const events = useOne<Paged<LedgerEvent>>(operator ? asked('/events', 'text') : null)
  if (path) return [{ id: q, label: q, kind: 'Open by ID', Icon: IconPlayerPlay, to: `${path}/${q}` }]
  if (!isLong) return []
  const words = q.toLowerCase()
  return [
    ...(tools.data?.items ?? [])
      .filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(words))
      // The name says more than a word in the description.
      .toSorted((a, b) => Number(b.name.includes(words)) - Number(a.name.includes(words)))
      .slice(0, most)
      .map(({ id, connectorId, name }) => ({
        id,
        label: toolLabel(name),
        kind: 'Tool',
        Icon: IconTool,
        to: `/connectors/${connectorId}/tools/${id}`,
      })),
    // Approvals are found by their runs.
    ...(messages.data?.items ?? [])
      .filter(({ card }) => card === null)
      .map(({ id, channelId, author, text }) => ({
        id,
        label: `${author.name}: ${text.slice(0, 120)}`,
        kind: 'Message',
        Icon: IconHash,
        to: linkToMessage({ channelId, messageId: id }),
      })),
    ...(runs.data?.items ?? []).map((run) => ({
      id: run.id,
      label: `${sourceOf(run)}: ${outcomeOf(run)}`.slice(0, 140),
      kind: 'Run',
      Icon: IconPlayerPlay,
      to: `/runs/${run.id}`,
    })),
    ...(events.data?.items ?? []).map(({ id, summary, webhookName, scheduleName }) => ({
      id,
      label: `${webhookName ?? scheduleName ?? 'Event'}: ${summary ?? id}`.slice(0, 140),
      kind: 'Event',
      Icon: IconInbox,
      to: `/events/${id}`,
    })),
  ]
}
