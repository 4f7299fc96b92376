import { Button, Text } from '@mantine/core'
import { call } from '../../api.ts'
import type { RunRow } from '../../contract.ts'
import { useBulk } from '../../hooks/use-bulk.ts'
import { askToConfirm } from '../../ui/feedback/ask-to-confirm.ts'
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
import { lengthOf, TimeStrip } from './trace/time-strip.tsx'
import classes from './trace/trace.module.css'
import { hasEnded } from './use-runs.ts'

const columns: Column<RunRow>[] = [
  { name: 'Source', grow: 'little', sort: sourceOf, cell: sourceOf },
  {
    name: 'State',
    sort: ({ status }) => status,
    cell: (run) => <RunStatusBadge status={run.status} />,
  },
  {
    name: 'When',
    narrow: 'below',
    sort: ({ createdAt }) => createdAt,
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
    sort: ({ channelName }) => channelName,
    cell: (run) => run.channelName ?? '–',
  },
  {
    name: 'Trigger',
    narrow: 'wide-only',
    optional: true,
    sort: ({ trigger }) => trigger,
    cell: ({ trigger }) => triggerLabels[trigger],
  },
  {
    name: 'Model',
    narrow: 'wide-only',
    optional: true,
    sort: ({ model }) => model,
    cell: ({ model }) => model ?? '–',
  },
  {
    name: 'Duration',
    narrow: 'hide',
    numeric: true,
    sort: (run) => (run.startedAt ? lengthOf(run) : null),
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
    sort: ({ thumbs }) => thumbs?.filter(({ thumb }) => thumb === 'down').length ?? null,
    cell: ({ thumbs }) => <ThumbCounts thumbs={thumbs ?? []} />,
  },
  {
    name: 'Tokens',
    narrow: 'wide-only',
    numeric: true,
    sort: tokensOf,
    cell: (run) => formatNumber(tokensOf(run)),
  },
  {
    name: 'Cost',
    narrow: 'wide-only',
    numeric: true,
    sort: ({ cost }) => cost,
    cell: (run) => <Cost cost={run.cost} tokens={tokensOf(run)} />,
  },
]

type Props = {
  runs: RunRow[]
  /** Several can be selected, to be replayed or canceled. */
  selectable?: boolean
}

export function RunsTable({ runs, selectable = false }: Props) {
  const operator = useHasRole('operator')
  return (
    <DataTable
      label="Runs"
      rows={runs}
      columns={columns}
      rowHref={(run) => `/runs/${run.id}`}
      rowName={(run) => `${sourceOf(run)}, ${run.status}`}
      bulk={selectable && operator ? (rows, clear) => <BulkActions runs={rows} onDone={clear} /> : undefined}
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
      {active.length > 0 && (
        <Button
          size="xs"
          variant="default"
          loading={cancel.isPending}
          onClick={() =>
            askToConfirm({
              title: `Cancel ${plural(active.length, 'run')}?`,
              text: 'The agent stops immediately and posts nothing. Requests already sent stay sent.',
              action: `Cancel ${plural(active.length, 'run')}`,
              cancel: 'Keep running',
              onConfirm: () => cancel.mutate(active, { onSuccess: onDone }),
            })
          }
        >
          Cancel {active.length}
        </Button>
      )}
    </>
  )
}

function tokensOf({ usage }: RunRow): number {
  return usage.inputTokens + usage.outputTokens
}
