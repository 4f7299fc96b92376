import type { ReactNode } from 'react'
import classes from './timeline.module.css'

/** Blocks below each other, with the time on the left. */
export function Timeline({ children }: { children: ReactNode }) {
  return <ol className={classes.timeline}>{children}</ol>
}

type BlockProps = { at: string | null | undefined; start: string | null | undefined; children: ReactNode }

export function Block({ at, start, children }: BlockProps) {
  return (
    <li className={classes.block}>
      <div className={classes.time}>{at ? <time dateTime={at}>{sinceStart(at, start)}</time> : null}</div>
      <div className={classes.body}>{children}</div>
    </li>
  )
}

/** Time since the run began says more than the time of day, which is among the facts. */
function sinceStart(at: string, start: string | null | undefined): string {
  if (!start) return new Date(at).toLocaleTimeString()
  const seconds = Math.max(0, (new Date(at).getTime() - new Date(start).getTime()) / 1000)
  if (seconds < 100) return `+${seconds.toFixed(1)} s`
  return `+${Math.floor(seconds / 60)} min`
}
