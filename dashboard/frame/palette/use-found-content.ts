import { useDebouncedValue } from '@mantine/hooks'
import {
  IconChecklist,
  IconClock,
  IconGavel,
  IconHash,
  IconInbox,
  IconMasksTheater,
  IconPlayerPlay,
  IconPlug,
  IconTool,
  IconWebhook,
} from '@tabler/icons-react'
import { toolLabel } from '../../../src/shared/tool-label.ts'
import { type Paged, withQuery } from '../../api.ts'
import type { CallableTool, LedgerEvent, Message, RunRow } from '../../contract.ts'
import { useOne } from '../../hooks/use-api.ts'
import { linkToMessage } from '../../pages/channels/messages/link-to-message.ts'
import { outcomeOf, sourceOf } from '../../pages/runs/run-headline.ts'

export type Found = { id: string; label: string; group: string; Icon: typeof IconTool; to: string }

const most = 5
const typingMs = 250
/** Fewer letters are in almost everything. */
const fewestLetters = 3

type Kind = { word: string; Icon: typeof IconTool; list?: string }

/** By how its id begins: what a thing is, and the list that its page belongs to. */
const kinds: Record<string, Kind> = {
  run: { word: 'Run', Icon: IconPlayerPlay, list: '/runs' },
  evt: { word: 'Event', Icon: IconInbox, list: '/events' },
  apr: { word: 'Approval', Icon: IconChecklist, list: '/approvals' },
  hook: { word: 'Webhook', Icon: IconWebhook, list: '/webhooks' },
  sched: { word: 'Schedule', Icon: IconClock, list: '/schedules' },
  con: { word: 'Connector', Icon: IconPlug, list: '/connectors' },
  chan: { word: 'Channel', Icon: IconHash, list: '/channels' },
  pol: { word: 'Policy', Icon: IconGavel, list: '/policies' },
  reh: { word: 'Rehearsal', Icon: IconMasksTheater, list: '/rehearsals' },
  tool: { word: 'Tool', Icon: IconTool },
}

/** What the id at the end of this text is of. */
export function kindOf(text: string): Kind | undefined {
  return kinds[/(?:^|\/)([a-z]+)_[0-9a-f-]{36}$/.exec(text)?.[1] ?? '']
}

/** Tools, messages, runs and events with these words, or the thing with this id. */
export function useFoundContent(query: string, operator: boolean): Found[] {
  const [q] = useDebouncedValue(query.trim().slice(0, 80), typingMs)
  const isLong = q.length >= fewestLetters
  const byId = kindOf(q)?.list
  const asked = (list: string, filter: string) =>
    isLong && !byId ? withQuery(list, { [filter]: q, limit: most }) : null
  const tools = useOne<{ items: CallableTool[] }>(operator ? '/tools' : null)
  const messages = useOne<Paged<Message>>(asked('/messages', 'q'))
  const runs = useOne<Paged<RunRow>>(asked('/runs', 'q'))
  const events = useOne<Paged<LedgerEvent>>(operator ? asked('/events', 'text') : null)
  if (byId) return [{ id: q, label: q, group: 'Open by ID', Icon: IconHash, to: `${byId}/${q}` }]
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
        group: 'Tools',
        Icon: IconTool,
        to: `/connectors/${connectorId}/tools/${id}`,
      })),
    // Approvals are found by their runs.
    ...(messages.data?.items ?? [])
      .filter(({ card }) => card === null)
      .map(({ id, channelId, author, text }) => ({
        id,
        label: `${author.name}: ${text.slice(0, 120)}`,
        group: 'Messages',
        Icon: IconHash,
        to: linkToMessage({ channelId, messageId: id }),
      })),
    ...(runs.data?.items ?? []).map((run) => ({
      id: run.id,
      label: `${sourceOf(run)}: ${outcomeOf(run)}`.slice(0, 140),
      group: 'Runs',
      Icon: IconPlayerPlay,
      to: `/runs/${run.id}`,
    })),
    ...(events.data?.items ?? []).map(({ id, summary, webhookName, scheduleName }) => ({
      id,
      label: `${webhookName ?? scheduleName ?? 'Event'}: ${summary ?? id}`.slice(0, 140),
      group: 'Events',
      Icon: IconInbox,
      to: `/events/${id}`,
    })),
  ]
}
