import { Anchor, Code, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { AuditRecord } from '../../contract.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { useList } from '../../use-api.ts'
import { useFilter } from '../../use-filter.ts'

export function AuditLog() {
  const [action, setAction] = useFilter('action')
  const audit = useList<AuditRecord>('/audit', { action })
  return (
    <Stack>
      <SearchField label="Action" placeholder="As in webhook.created" value={action} onChange={setAction} />
      <ListView
        query={audit}
        empty={
          <Empty
            purpose={
              action ? 'Nothing of this kind was recorded.' : 'Who did what, and when, is recorded here.'
            }
            example="Sign-ins, changes, revealed URLs, approvals, refused addresses, erasures."
          />
        }
      >
        {(items) => <DataTable label="Audit log" rows={items} columns={columns} />}
      </ListView>
    </Stack>
  )
}

const columns: Column<AuditRecord>[] = [
  { name: 'What', grow: true, cell: (entry) => wordsOf(entry.action) },
  { name: 'Who', cell: (entry) => entry.actor.name },
  { name: 'When', cell: (entry) => <RelativeTime at={entry.at} /> },
  {
    name: 'To what',
    narrow: 'wide-only',
    cell: (entry) => (entry.subject ? <Subject id={entry.subject} name={nameOf(entry)} /> : '–'),
  },
  { name: 'From', narrow: 'wide-only', cell: (entry) => entry.source ?? '–' },
  {
    name: 'Facts',
    grow: true,
    narrow: 'hide',
    cell: (entry) => (
      <Text span size="xs" c="dimmed">
        {factsOf(entry)}
      </Text>
    ),
  },
]

/** `api-key.created` → `API key created`. */
function wordsOf(action: string): string {
  const words = action.replaceAll(/[.-]/g, ' ').replace(/^(api|oidc|mcp)\b/, (name) => name.toUpperCase())
  return words.replace(/^[a-z]/, (letter) => letter.toUpperCase())
}

/** Things that have a page, by how their ids begin. */
const pages: Record<string, string> = {
  hook: 'webhooks',
  con: 'connectors',
  run: 'runs',
  apr: 'approvals',
  evt: 'events',
  chan: 'channels',
}

function Subject({ id, name }: { id: string; name: string | undefined }) {
  const page = pages[id.split('_')[0] ?? '']
  const words = name ?? <Code fz={12}>{id}</Code>
  if (!page) return words
  return (
    <Anchor component={Link} to={`/${page}/${id}`}>
      {words}
    </Anchor>
  )
}

/** What it was called then: people know that better than its id. Entries of older versions have it among their facts, or not at all. */
function nameOf({ subjectName, detail }: AuditRecord): string | undefined {
  const { name, email } = detail ?? {}
  return [subjectName, name, email].find((words) => typeof words === 'string')
}

/** `role: admin · active: true`, as a person would note it. */
function factsOf(entry: AuditRecord): string {
  return Object.entries(entry.detail ?? {})
    .filter(([, value]) => value !== null && value !== nameOf(entry))
    .map(([name, value]) => `${name}: ${sayValue(value)}`)
    .join(' · ')
}

function sayValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(sayValue).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
