import type { ReactNode } from 'react'
import classes from './card.module.css'
import type { Tone } from './status-badge.tsx'

type Props = {
  /** What it is, for those who cannot see its frame. */
  label: string
  /** Its left edge says how it is. */
  edge?: Tone
  children: ReactNode
}

/** One thing of several, in a frame of its own. */
export function Card({ label, edge, children }: Props) {
  return (
    <section className={classes.card} data-edge={edge} aria-label={label}>
      {children}
    </section>
  )
}
