import { Text } from '@mantine/core'
import { toolLabel } from '../../../src/shared/tool-label.ts'
import { call } from '../../api.ts'
import type { RunRow } from '../../contract.ts'
import { useBulk } from '../../hooks/use-bulk.ts'
import { BulkButton } from '../../ui/table/bulk-button.tsx'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { formatNumber } from '../../ui/text/format-number.ts'
import { plural } from '../../ui/text/plural.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { ReplaySeveral } from '../events/replay-several.tsx'
import { Cost } from '../status/cost.tsx'
import { formatDuration } from './format-duration.ts'
import { outcomeOf, sourceOf, triggerLabels } from './run-headline.ts'
import { RunStatusBadge } from './run-status.tsx'
import { ThumbCounts } from './thumb-counts.tsx'
import { TimeStrip } from './trace/time-strip.tsx'
import classes from './trace/trace.module.css'
import { hasEnded } from './use-runs.ts'

const columns: Column<RunRow>[] = [
  { name: 'Source', grow: 'little', cell: sourceOf },
  { name: 'State', cell: (run) => <RunStatusBadge status={run.status} /> },
  {
    name: 'When',
    narrow: 'below',
    cell: (run) => <RelativeTime at={run.createdAt} />,
  },
  {
    name: 'Outcome',
    grow: true,
    narrow: 'below',
    cell: (run) => (
      <Text span c="dimmed" size="sm">
        {outcomeOf(run)}
      </Text>
    ),
  },
  {
    name: 'Channel',
    narrow: 'wide-only',
    optional: true,
    cell: (run) => run.channelName ?? '–',
  },
  {
    name: 'Trigger',
    narrow: 'wide-only',
    optional: true,
    cell: ({ trigger }) => triggerLabels[trigger],
  },
  {
    name: 'Model',
    narrow: 'wide-only',
    optional: true,
    cell: ({ model }) => model ?? '–',
  },
  {
    name: 'Tools',
    narrow: 'wide-only',
    optional: true,
    cell: ({ calledTools }) => calledTools.map(toolLabel).join(', ') || '–',
  },
  {
    name: 'Duration',
    narrow: 'hide',
    numeric: true,
    sort: 'duration',
    cell: (run) => (
      <span className={classes.duration}>
        <TimeStrip run={run} thin />
        {formatDuration(run.startedAt, run.endedAt)}
      </span>
    ),
  },
  {
    name: 'Rating',
    narrow: 'wide-only',
    optional: true,
    cell: ({ thumbs }) => <ThumbCounts thumbs={thumbs ?? []} />,
  },
  {
    name: 'Tokens',
    narrow: 'wide-only',
    numeric: true,
    cell: (run) => formatNumber(tokensOf(run)),
  },
  {
    name: 'Cost',
    narrow: 'wide-only',
    numeric: true,
    sort: 'cost',
    cell: (run) => <Cost cost={run.cost} tokens={tokensOf(run)} model={run.model} />,
  },
]

/** Of some runs on another page, which are not sorted. */
const unsorted = columns.map(({ sort: _, ...column }) => column)

type Props = {
  runs: RunRow[]
  /** The list of runs, as the server sorted it; several can be selected, to be replayed or canceled. */
  isList?: boolean
}

export function RunsTable({ runs, isList = false }: Props) {
  const operator = useHasRole('operator')
  return (
    <DataTable
      label="Runs"
      rows={runs}
      columns={isList ? columns : unsorted}
      rowHref={(run) => `/runs/${run.id}`}
      rowName={(run) => `${sourceOf(run)}, ${run.status}`}
      bulk={isList && operator ? (rows, clear) => <BulkActions runs={rows} onDone={clear} /> : undefined}
    />
  )
}

function BulkActions({ runs, onDone }: { runs: RunRow[]; onDone: () => void }) {
  const active = runs.filter((run) => !hasEnded(run))
  // An event is replayed once, however many of its runs are selected.
  const events = new Set(
    runs.flatMap((run) => (hasEnded(run) && run.eventId && !run.dryRun && !run.erased ? [run.eventId] : [])),
  )
  const cancel = useBulk(({ id }: RunRow) => call('POST', `/runs/${id}/cancel`), {
    done: 'Canceled',
    what: 'run',
    changes: ['/runs'],
  })
  return (
    <>
      <ReplaySeveral eventIds={[...events]} onReplayed={onDone} />
      <BulkButton
        verb="Cancel"
        rows={active}
        action={cancel}
        onDone={onDone}
        ask={{
          question: `Cancel ${plural(active.length, 'run')}?`,
          text: 'The agent stops immediately and posts nothing. Requests already sent stay sent.',
          confirm: `Cancel ${plural(active.length, 'run')}`,
          cancel: 'Keep running',
        }}
      />
    </>
  )
}

function tokensOf({ usage }: RunRow): number {
  return usage.inputTokens + usage.outputTokens
}
