import type { RunRow } from '../../../contract.ts'
import { Hint } from '../../../ui/layout/hint.tsx'
import { formatMilliseconds } from '../format-duration.ts'
import classes from './trace.module.css'
import { makeScale, timeIn } from './trace-scale.ts'

type Timed = Pick<RunRow, 'spans' | 'startedAt' | 'endedAt'>

/** From the start of a run to its end, or to now. */
export function lengthOf({ startedAt, endedAt }: Timed): number {
  if (!startedAt) return 0
  return Math.max((endedAt ? new Date(endedAt).getTime() : Date.now()) - new Date(startedAt).getTime(), 0)
}

type Kind = RunRow['spans'][number]['kind']

/** What happens at the same time counts as the first of them. */
const words: [Kind, string][] = [
  ['model', 'model'],
  ['tool', 'tools'],
  ['waiting', 'waiting for a person'],
  ['retry', 'failed model calls'],
  ['posting', 'posting'],
  ['pause', 'waiting for the model'],
]

/** What the time of a run went to, such as `model 0.9 s · tools 0.2 s · waiting 65.9 s`. The sum is its length. */
export function splitOf(run: Timed): { word: string; kind: Kind | 'other'; ms: number }[] {
  const end = lengthOf(run)
  const kinds = words.map(([kind]) => kind)
  const within = (count: number) => timeIn(run.spans, kinds.slice(0, count), end)
  return [
    ...words.map(([kind, word], at) => ({ word, kind, ms: within(at + 1) - within(at) })),
    { word: 'other', kind: 'other' as const, ms: end - within(kinds.length) },
  ].filter(({ ms }) => ms > 0)
}

function describeSplit(run: Timed): string {
  return splitOf(run)
    .map(({ word, ms }) => `${word} ${formatMilliseconds(ms)}`)
    .join(' · ')
}

/** The whole run as one bar: what its time went to. */
export function TimeStrip({ run, thin = false }: { run: Timed; thin?: boolean }) {
  if (run.spans.length === 0) return null
  const end = lengthOf(run)
  const { place } = makeScale(run.spans, end)
  const words = describeSplit(run)
  return (
    <Hint label={words} disabled={!thin}>
      <div className={classes.strip} data-thin={thin || undefined} role="img" aria-label={words}>
        {run.spans.map(({ kind, atMs, ms }, at) => {
          const placed = place(atMs, ms === null ? end : atMs + ms)
          return (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: spans have no identity but their place
              key={at}
              className={classes.bar}
              data-kind={kind}
              style={{ left: `${placed?.left}%`, width: `${placed?.width}%` }}
            />
          )
        })}
      </div>
    </Hint>
  )
}
