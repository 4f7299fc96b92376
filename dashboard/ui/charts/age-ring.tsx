import { Hint } from '../layout/hint.tsx'
import { relativeTime } from '../text/relative-time.tsx'

type Props = { from: string; to: string }

/** How much time is left, as a ring that empties. */
export function AgeRing({ from, to }: Props) {
  const [start, end, now] = [new Date(from).getTime(), new Date(to).getTime(), Date.now()]
  const left = Math.min(Math.max((end - now) / (end - start), 0), 1)
  const label = `Expires ${relativeTime(to)}`
  return (
    <Hint label={label}>
      <svg width="18" height="18" viewBox="0 0 18 18" role="img" aria-label={label}>
        <circle cx="9" cy="9" r="7" fill="none" stroke="var(--line-strong)" strokeWidth="2.5" />
        <circle
          cx="9"
          cy="9"
          r="7"
          fill="none"
          stroke={left < 0.25 ? 'var(--bad)' : 'var(--waiting)'}
          strokeWidth="2.5"
          pathLength="100"
          strokeDasharray={`${left * 100} 100`}
          transform="rotate(-90 9 9)"
        />
      </svg>
    </Hint>
  )
}
