import { Anchor, Button, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import { IconDownload, IconFilter, IconX } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { auditSentence, type SentencePart } from '../../../src/shared/wording/audit-sentence.ts'
import { fieldWords } from '../../../src/shared/wording/field-words.ts'
import { apiUrl } from '../../api.ts'
import type { AuditPage, AuditRecord } from '../../contract.ts'
import { useList } from '../../hooks/use-api.ts'
import { useFilter } from '../../hooks/use-filter.ts'
import { EmptyList } from '../../ui/feedback/empty-list.tsx'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { SearchField } from '../../ui/table/search-field.tsx'
import { SearchProgress } from '../../ui/table/search-progress.tsx'
import { capitalize } from '../../ui/text/capitalize.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { SavedViews } from '../accounts/saved-views.tsx'
import { DateRange } from '../events/date-range.tsx'
import { AuditFilters } from './audit-filters.tsx'
import classes from './audit-log.module.css'

export function AuditLog() {
  const [q, setQ] = useFilter('q')
  const [actorId] = useFilter('actorId')
  const [action] = useFilter('action')
  const [subject, setSubject] = useFilter('subject')
  const [since] = useFilter('from')
  const [until] = useFilter('to')
  const filters = { q, actorId, action, subject, since, until }
  const audit = useList<AuditRecord, AuditPage>('/audit', filters)
  const given = Object.entries(filters).filter(
    (filter): filter is [string, string] => filter[1] !== undefined,
  )
  const about = audit.data?.pages[0]?.items.find((entry) => entry.subject === subject)
  return (
    <Stack>
      <Group gap={8}>
        <SearchField label="Search the audit log" value={q} onChange={setQ} />
        <AuditFilters />
        <DateRange />
        <SavedViews list="Audit log" />
        <Button
          component="a"
          href={apiUrl(`/audit/csv?${new URLSearchParams(given)}`)}
          download="audit-log.csv"
          variant="default"
          size="xs"
          leftSection={<IconDownload size="0.875rem" aria-hidden />}
        >
          Download CSV
        </Button>
      </Group>
      {subject !== undefined && (
        <Group gap={8}>
          <Button
            size="compact-xs"
            radius="xl"
            variant="light"
            rightSection={<IconX size="0.75rem" aria-hidden />}
            aria-label="Show entries about everything"
            onClick={() => setSubject(null)}
          >
            About {(about && thingOf(about)?.words) ?? subject}
          </Button>
        </Group>
      )}
      {q && <SearchProgress query={audit} />}
      <ListView
        query={audit}
        empty={
          <EmptyList
            what="entries"
            to="/settings/audit"
            filtered={given.length > 0}
            purpose="The audit log records who did what, and when."
            example="For example sign-ins, changes, approvals, blocked addresses and deletions."
          />
        }
      >
        {(items) => <DataTable label="Audit log" rows={items} columns={columnsFor(setSubject)} />}
      </ListView>
    </Stack>
  )
}

function columnsFor(showAbout: (subject: string) => void): Column<AuditRecord>[] {
  return [
    { name: 'Entry', grow: true, whole: true, cell: (entry) => <Sentence entry={entry} /> },
    {
      name: 'Filter',
      narrow: 'hide',
      cell: ({ subject, ...entry }) =>
        subject && (
          <UnstyledButton
            className={classes.only}
            title="Show only entries about this"
            aria-label={`Show only entries about ${thingOf({ subject, ...entry })?.words ?? subject}`}
            onClick={() => showAbout(subject)}
          >
            <IconFilter size="0.875rem" aria-hidden />
          </UnstyledButton>
        ),
    },
    { name: 'When', cell: (entry) => <RelativeTime at={entry.at} /> },
    { name: 'From', narrow: 'wide-only', cell: (entry) => entry.source ?? '–' },
  ]
}

/** Ids and fingerprints tell people nothing; the file for download has them. */
const isForMachines = /(Ids?|^hash|^digest|^callable)$/

/** The facts that the sentence leaves out stand below it. */
function Sentence({ entry }: { entry: AuditRecord }) {
  const { parts, rest: facts } = auditSentence(entry)
  const rest = facts.filter(([name]) => !isForMachines.test(name))
  const gone = entry.action.endsWith('.deleted')
  return (
    <>
      <span>
        {parts.map((part) =>
          typeof part === 'string' ? part : <Thing key={part.id} {...part} gone={gone} />,
        )}
      </span>
      {rest.length > 0 && (
        <Text span size="xs" c="dimmed" className={classes.rest}>
          {rest.map(([name, value]) => `${capitalize(fieldWords(name))}: ${value}`).join(' · ')}
        </Text>
      )}
    </>
  )
}

const thingOf = (entry: AuditRecord) =>
  auditSentence(entry).parts.find((part): part is Exclude<SentencePart, string> => typeof part !== 'string')

/** Where the page of a thing is, by the prefix of its id. */
const pages: Record<string, string> = {
  hook: 'webhooks',
  sched: 'schedules',
  con: 'connectors',
  run: 'runs',
  apr: 'approvals',
  evt: 'events',
  chan: 'channels',
  pol: 'policies',
}

/** What was deleted has no page; the id shows on hover. */
function Thing({ id, words, gone }: Exclude<SentencePart, string> & { gone: boolean }) {
  const page = pages[/^([a-z]+)_[0-9a-f-]{36}$/.exec(id)?.[1] ?? '']
  if (!page || gone) return <b title={id}>{words}</b>
  return (
    <Anchor component={Link} to={`/${page}/${id}`} title={id}>
      {words}
    </Anchor>
  )
}
