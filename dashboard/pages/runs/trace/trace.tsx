import { Button, Kbd, UnstyledButton } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import {
  IconAlertCircle,
  IconBolt,
  IconMessage,
  IconPlayerPause,
  IconSparkles,
  IconTool,
} from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import type { Run } from '../../../contract.ts'
import { useFilter } from '../../../hooks/use-filter.ts'
import { useNow } from '../../../ui/feedback/use-now.ts'
import { formatExactDollars } from '../../status/format-dollars.ts'
import { formatMilliseconds } from '../format-duration.ts'
import { hasEnded } from '../use-runs.ts'
import { TimeAxis } from './time-axis.tsx'
import { lengthOf } from './time-strip.tsx'
import classes from './trace.module.css'
import { TraceInspector } from './trace-inspector.tsx'
import { type TraceRow, traceRows } from './trace-rows.ts'
import { type Interval, makeScale } from './trace-scale.ts'

/** Often enough for a bar to be seen growing. */
const tickMs = 500
/** In the link, instead of a range. */
const zoomToStep = 'step'

const icons = {
  event: IconBolt,
  model: IconSparkles,
  tool: IconTool,
  'built-in': IconTool,
  reply: IconMessage,
}

/** A run on a time axis: one row for each step, and beside it what is known about the chosen one. */
export function Trace({ run }: { run: Run }) {
  const rows = traceRows(run)
  const [chosenId, choose] = useFilter('step')
  const chosen = rows.find(({ id }) => id === chosenId) ?? mostTelling(rows)
  const list = useRef<HTMLOListElement>(null)
  const move = (by: 1 | -1) => {
    const at = rows.findIndex(({ id }) => id === chosen?.id)
    const next = rows[Math.min(Math.max(at + by, 0), rows.length - 1)]
    choose(next?.id ?? null)
  }
  const [zoom, setZoom] = useFilter('zoom')
  const toggleZoom = () => {
    if (chosen) choose(chosen.id)
    setZoom(zoom ? null : zoomToStep)
  }
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
    ['z', toggleZoom],
    ['Escape', () => setZoom(null)],
  ])
  useNow(!hasEnded(run), tickMs)
  useEffect(() => {
    if (chosenId) list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [chosenId])
  const end = lengthOf(run)
  const scale = makeScale(
    rows.flatMap(({ spans }) => spans),
    end,
    zoom === zoomToStep && chosen ? around(chosen, end) : readRange(zoom, end),
  )
  return (
    <div className={classes.panes}>
      <div>
        <div className={classes.chart}>
          <div className={classes.axis} aria-hidden>
            <span>Step</span>
            <span>Cost · tokens · time</span>
          </div>
          <TimeAxis scale={scale} onRange={({ from, to }) => setZoom(`${from}-${to}`)} />
          <ol className={classes.rows} aria-label="Trace" ref={list}>
            {rows.map((row) => (
              <li key={row.id}>
                <UnstyledButton
                  className={classes.row}
                  aria-current={row.id === chosen?.id || undefined}
                  onClick={() => choose(row.id)}
                >
                  <Name row={row} />
                  <span className={classes.track}>
                    {row.spans.map(({ kind, atMs, ms }, at) => {
                      const placed = scale.place(atMs, ms === null ? end : atMs + ms)
                      if (!placed) return null
                      return (
                        <span
                          // biome-ignore lint/suspicious/noArrayIndexKey: spans have no identity but their place
                          key={at}
                          className={classes.bar}
                          data-kind={kind}
                          data-live={ms === null || undefined}
                          style={{ left: `min(${placed.left}%, 100% - 3px)`, width: `${placed.width}%` }}
                        />
                      )
                    })}
                  </span>
                  <span className={classes.figures}>
                    {row.cost ? (
                      <span className={classes.cost} title={`$${row.cost.toPrecision(4)}`}>
                        {formatExactDollars(row.cost)} ·{' '}
                      </span>
                    ) : null}
                    {row.figures || lastingFor(row, end)}
                  </span>
                </UnstyledButton>
              </li>
            ))}
          </ol>
        </div>
        <div className={classes.foot}>
          <Button
            size="compact-xs"
            variant="default"
            onClick={toggleZoom}
            rightSection={
              <Kbd size="xs" aria-hidden visibleFrom="sm">
                Z
              </Kbd>
            }
          >
            {zoom ? 'Show whole run' : 'Zoom to step'}
          </Button>
          <span className={classes.keys}>
            <Kbd size="xs">J</Kbd> <Kbd size="xs">K</Kbd> next and previous step
          </span>
          <span>Drag on the time axis to zoom in</span>
          {scale.gaps.length > 0 && <span>Waiting is drawn shorter than it was</span>}
        </div>
      </div>
      {chosen && (
        <section className={classes.inspector} aria-label="Step">
          <TraceInspector key={chosen.id} run={run} row={chosen} />
        </section>
      )}
    </div>
  )
}

function Name({ row }: { row: TraceRow }) {
  const Icon =
    row.tone === 'bad' ? IconAlertCircle : row.tone === 'waiting' ? IconPlayerPause : icons[row.subject.kind]
  return (
    <span className={classes.name} data-inner={row.inner || undefined} data-tone={row.tone}>
      <Icon size="0.9375rem" stroke={1.7} aria-hidden />
      <span className={classes.text} title={[row.title, row.note].filter(Boolean).join(', ')}>
        <span className={classes.title}>{row.title}</span>
        {row.note && <span className={classes.note}> {row.note}</span>}
      </span>
    </span>
  )
}

/** Such as `1200-3400`, in milliseconds. A link may say anything. */
function readRange(zoom: string | undefined, end: number): Interval | undefined {
  const [from = 0, to = 0] = (zoom ?? '').split('-').map(Number)
  return from < Math.min(to, end) ? { from, to: Math.min(to, end) } : undefined
}

/** A step with a little of what was before and after it. */
function around({ spans }: TraceRow, end: number) {
  const from = Math.min(end, ...spans.map(({ atMs }) => atMs))
  const to = Math.max(0, ...spans.map(({ atMs, ms }) => (ms === null ? end : atMs + ms)))
  const start = spans.length === 0 ? 0 : from
  // What takes no time has as much around it as a hundredth of the run.
  const margin = (to - start) * 0.05 || end * 0.01
  return { from: Math.max(start - margin, 0), to: Math.min(to + margin, end) }
}

/** Of a step that is still at work, how long it has been. */
function lastingFor({ spans }: TraceRow, end: number): string | null {
  const current = spans.find(({ ms }) => ms === null)
  return current ? formatMilliseconds(end - current.atMs) : null
}

/** What waits for a person, else what went wrong last, else the end. */
function mostTelling(rows: TraceRow[]): TraceRow | undefined {
  return (
    rows.find(({ tone, subject }) => tone === 'waiting' && subject.kind === 'tool') ??
    rows.findLast(({ tone, subject }) => tone === 'bad' && subject.kind !== 'reply') ??
    rows.at(-1)
  )
}
