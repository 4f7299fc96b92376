import { Anchor, Code, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { toolLabel } from '../../../src/shared/tool-label.ts'
import type { AuditPage, AuditRecord } from '../../contract.ts'
import { useList } from '../../hooks/use-api.ts'
import { useFilter } from '../../hooks/use-filter.ts'
import { EmptyList } from '../../ui/feedback/empty-list.tsx'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { SearchField } from '../../ui/table/search-field.tsx'
import { SearchProgress } from '../../ui/table/search-progress.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'

export function AuditLog() {
  const [q, setQ] = useFilter('q')
  const audit = useList<AuditRecord, AuditPage>('/audit', { q })
  return (
    <Stack>
      <SearchField label="Search the audit log" value={q} onChange={setQ} />
      {q && <SearchProgress query={audit} />}
      <ListView
        query={audit}
        empty={
          <EmptyList
            what="entries"
            to="/settings/audit"
            filtered={q !== undefined}
            purpose="The audit log records who did what, and when."
            example="For example sign-ins, changes, approvals, blocked addresses and deletions."
          />
        }
      >
        {(items) => <DataTable label="Audit log" rows={items} columns={columns} />}
      </ListView>
    </Stack>
  )
}

const columns: Column<AuditRecord>[] = [
  {
    name: 'Action',
    grow: true,
    cell: (entry) => (
      <>
        {actionLabel(entry.action)}
        {entry.subject && (
          <>
            {entry.action in labels ? ' ' : ': '}
            <Thing id={entry.subject} name={nameOf(entry)} gone={entry.action.endsWith('.deleted')} />
          </>
        )}
      </>
    ),
  },
  { name: 'Who', cell: (entry) => entry.actor.name },
  { name: 'When', cell: (entry) => <RelativeTime at={entry.at} /> },
  { name: 'From', narrow: 'wide-only', cell: (entry) => entry.source ?? '–' },
  {
    name: 'Details',
    grow: true,
    narrow: 'wide-only',
    cell: (entry) => (
      <Text span size="xs" c="dimmed">
        {factsOf(entry).map(([name, value], at) => (
          <Fragment key={name}>
            {at > 0 && ' · '}
            {typeof value === 'string' && things[prefixOf(value)] ? (
              <Thing id={value} />
            ) : (
              `${name}: ${valueText(value)}`
            )}
          </Fragment>
        ))}
      </Text>
    ),
  },
]

/** Where noun and verb side by side are no English. */
const labels: Record<string, string> = {
  'approval.approved': 'Approved',
  'approval.denied': 'Denied',
  'approval.withdrawn': 'Withdrew',
  'run.cancelled': 'Canceled',
  'event.replayed': 'Replayed',
  'event.erased': 'Erased',
  'schedule.ran': 'Ran',
  'tool.tried': 'Tried',
  'webhook.revealed': 'Viewed the URL of',
  'webhook.rotated': 'Rotated the URL of',
  'webhook.tested': 'Sent a test event to',
  'channel.scoped': 'Changed the connectors of',
  'egress.refused': 'Blocked a connection',
  'access.denied': 'Access denied',
}

/** `api-key.created` → `API key created`. */
function actionLabel(action: string): string {
  const label = labels[action]
  if (label) return label
  const words = action.replaceAll(/[._-]/g, ' ').replace(/^(api|oidc|mcp)\b/, (name) => name.toUpperCase())
  return words.replace(/^[a-z]/, (letter) => letter.toUpperCase())
}

/** What kind of thing an id belongs to, by its prefix, and where its page is. */
const things: Record<string, { word: string; page?: string }> = {
  hook: { word: 'a webhook', page: 'webhooks' },
  con: { word: 'a connector', page: 'connectors' },
  tool: { word: 'a tool' },
  run: { word: 'a run', page: 'runs' },
  apr: { word: 'an approval', page: 'approvals' },
  evt: { word: 'an event', page: 'events' },
  chan: { word: 'a channel', page: 'channels' },
  usr: { word: 'a user' },
  key: { word: 'an API key' },
  ses: { word: 'a session' },
  wsp: { word: 'a workspace' },
}

const prefixOf = (id: string) => /^([a-z]+)_[0-9a-f-]{36}$/.exec(id)?.[1] ?? ''

/** By its name, or by its kind if it has none; the id shows on hover. What was deleted has no page. */
function Thing({ id, name, gone = false }: { id: string; name?: string | undefined; gone?: boolean }) {
  const { word, page } = things[prefixOf(id)] ?? {}
  const words = (prefixOf(id) === 'tool' && name !== undefined ? toolLabel(name) : name) ?? word ?? (
    <Code fz={12}>{id}</Code>
  )
  if (!page || gone) return <span title={id}>{words}</span>
  return (
    <Anchor component={Link} to={`/${page}/${id}`} title={id}>
      {words}
    </Anchor>
  )
}

/** Its name at that time, which people know better than its id. Entries of older versions have it in their details, or not at all. */
function nameOf({ subjectName, detail }: AuditRecord): string | undefined {
  const { name, email, tool } = detail ?? {}
  return [subjectName, name, email, typeof tool === 'string' ? toolLabel(tool) : tool].find(
    (words) => typeof words === 'string',
  )
}

/** `role: admin · active: true`, for people. */
function factsOf(entry: AuditRecord): [name: string, value: unknown][] {
  return Object.entries(entry.detail ?? {}).filter(([, value]) => value !== null && value !== nameOf(entry))
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
