import { Kbd, UnstyledButton } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import {
  IconAlertCircle,
  IconBolt,
  IconMessage,
  IconPlayerPause,
  IconSparkles,
  IconTool,
} from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import type { Run } from '../../../contract.ts'
import { formatMilliseconds } from '../format-duration.ts'
import { lengthOf } from './time-strip.tsx'
import classes from './trace.module.css'
import { TraceInspector } from './trace-inspector.tsx'
import { type TraceRow, traceRows } from './trace-rows.ts'
import { makeScale } from './trace-scale.ts'

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
  const [chosenId, choose] = useState<string>()
  const chosen = rows.find(({ id }) => id === chosenId) ?? mostTelling(rows)
  const list = useRef<HTMLOListElement>(null)
  const move = (by: 1 | -1) => {
    const at = rows.findIndex(({ id }) => id === chosen?.id)
    const next = rows[Math.min(Math.max(at + by, 0), rows.length - 1)]
    choose(next?.id)
  }
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
  ])
  useEffect(() => {
    if (chosenId) list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [chosenId])
  const end = lengthOf(run)
  const place = makeScale(run.spans, end)
  return (
    <div className={classes.panes}>
      <div>
        <div className={classes.axis} aria-hidden>
          <span>Step</span>
          <span className={classes.ends}>
            <span>0</span>
            <span>{formatMilliseconds(end)}</span>
          </span>
          <span>Tokens · time</span>
        </div>
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
                    const { left, width } = place(atMs, ms === null ? end : atMs + ms)
                    return (
                      <span
                        // biome-ignore lint/suspicious/noArrayIndexKey: spans have no identity but their place
                        key={at}
                        className={classes.bar}
                        data-kind={kind}
                        style={{ left: `min(${left}%, 100% - 3px)`, width: `${width}%` }}
                      />
                    )
                  })}
                </span>
                <span className={classes.figures}>{row.figures}</span>
              </UnstyledButton>
            </li>
          ))}
        </ol>
        <p className={classes.keys}>
          <Kbd size="xs">J</Kbd> <Kbd size="xs">K</Kbd> next and previous step
          {run.spans.some(({ kind }) => kind === 'waiting') && ' · Waiting is drawn shorter than it was'}
        </p>
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
        {row.title}
        {row.note && <span className={classes.note}> {row.note}</span>}
      </span>
    </span>
  )
}

/** What waits for a person, else what went wrong last, else the end. */
function mostTelling(rows: TraceRow[]): TraceRow | undefined {
  return (
    rows.find(({ tone, subject }) => tone === 'waiting' && subject.kind === 'tool') ??
    rows.findLast(({ tone, subject }) => tone === 'bad' && subject.kind !== 'reply') ??
    rows.at(-1)
  )
}
