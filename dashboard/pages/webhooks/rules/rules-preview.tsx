import { Button, Code, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiProblem, call } from '../../../api.ts'
import type { RulesPreview as Preview } from '../../../contract.ts'
import { StatusBadge, type Tone } from '../../../ui/feedback/status-badge.tsx'
import { Hint } from '../../../ui/layout/hint.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { FilterChips } from '../../../ui/table/filter-chips.tsx'
import { capitalize } from '../../../ui/text/capitalize.ts'
import { plural } from '../../../ui/text/plural.ts'
import { RelativeTime } from '../../../ui/text/relative-time.tsx'
import { toRulesBody, type WebhookValues } from '../form/webhook-values.ts'

type Item = Preview['items'][number]

const typingMs = 400
const shown = 20

const looks: Record<Item['outcome'], { tone: Tone; word: string }> = {
  run: { tone: 'busy', word: 'run' },
  skipped: { tone: 'idle', word: 'skipped' },
  notified: { tone: 'good', word: 'notified' },
  joined: { tone: 'good', word: 'joined' },
}

const outcomes = Object.keys(looks) as Item['outcome'][] // as declared above

/** What the kept events would become with the rules as they are in the form, while somebody types. */
export function RulesPreview({ webhookId, values }: { webhookId: string; values: WebhookValues }) {
  const [body] = useDebouncedValue(JSON.stringify(toRulesBody(values)), typingMs)
  const isEmpty = body === JSON.stringify({ rules: [], threadKey: null, collect: null })
  const preview = useQuery<Preview>({
    queryKey: [`/webhooks/${webhookId}/rules/preview`, body],
    queryFn: ({ signal }) =>
      call<Preview>('POST', `/webhooks/${webhookId}/rules/preview`, JSON.parse(body), signal),
    enabled: !isEmpty,
    placeholderData: keepPreviousData,
    retry: false,
  })
  if (isEmpty) return null
  if (preview.error) return <Faults error={preview.error} />
  if (!preview.data) return null
  const { counts, items } = preview.data
  if (items.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        This webhook has no kept events yet. Once it has some, a preview shows here what they would become.
      </Text>
    )
  }
  return <Outcomes counts={counts} items={items} />
}

function Outcomes({ counts, items }: Preview) {
  const [outcome, setOutcome] = useState<string | null>(null)
  const [isWhole, setIsWhole] = useState(false)
  const chosen = outcome === null ? items : items.filter((item) => item.outcome === outcome)
  const words = [
    plural(counts.run, 'run'),
    `${counts.skipped} skipped`,
    `${counts.notified} notified`,
    ...(counts.joined > 0 ? [`${counts.joined} joined`] : []),
    ...(counts.threads > 0 ? [`in ${plural(counts.threads, 'thread')}`] : []),
  ]
  return (
    <Stack gap={8}>
      <Text size="sm" fw={600} aria-live="polite">
        The last {plural(items.length, 'event')} would become: {words.join(', ')}
      </Text>
      <FilterChips
        label="Would be"
        value={outcome ?? undefined}
        onChange={setOutcome}
        options={outcomes
          .filter((value) => counts[value] > 0 || value === outcome)
          .map((value) => ({ value, label: `${capitalize(looks[value].word)} ${counts[value]}` }))}
      />
      <DataTable
        label="Preview of rules"
        rows={(isWhole ? chosen : chosen.slice(0, shown)).map((item) => ({ ...item, id: item.eventId }))}
        rowHref={({ eventId }) => `/events/${eventId}`}
        columns={[
          { name: 'Event', grow: true, cell: ({ summary, eventId }) => <bdi>{summary ?? eventId}</bdi> },
          { name: 'Would be', cell: ({ outcome }) => <StatusBadge {...looks[outcome]} /> },
          { name: 'Because', narrow: 'below', cell: (item) => <Reason item={item} /> },
          ...(counts.threads > 0
            ? [
                {
                  name: 'Thread',
                  grow: true,
                  narrow: 'hide' as const,
                  cell: (item: Item) => <Thread item={item} />,
                },
              ]
            : []),
          { name: 'Received', narrow: 'hide', cell: ({ receivedAt }) => <RelativeTime at={receivedAt} /> },
        ]}
      />
      {chosen.length > shown && !isWhole && (
        <Button size="xs" variant="default" w="fit-content" onClick={() => setIsWhole(true)}>
          Show all {chosen.length}
        </Button>
      )}
    </Stack>
  )
}

function Reason({ item: { rule, ruleFaults } }: { item: Item }) {
  const [fault] = ruleFaults
  if (!fault) return <>{rule ? `Rule ${rule.index + 1}` : 'No rule matches'}</>
  return (
    <Hint label={`Rule ${fault.index + 1}: ${fault.detail}`} multiline maw={360}>
      <span>
        {rule ? `Rule ${rule.index + 1}` : 'No rule matches'}, {plural(ruleFaults.length, 'fault')}
      </span>
    </Hint>
  )
}

function Thread({ item: { threadKey, threadKeyFault } }: { item: Item }) {
  return threadKey === null ? (threadKeyFault ?? '–') : <Code fz={12}>{threadKey}</Code>
}

/** While somebody types, a condition is often unfinished: said quietly. */
function Faults({ error }: { error: Error }) {
  const details = error instanceof ApiProblem ? error.errors.map(({ detail }) => detail) : []
  return (
    <Text size="sm" c="dimmed" aria-live="polite">
      No preview: {details[0] ?? error.message}
    </Text>
  )
}
