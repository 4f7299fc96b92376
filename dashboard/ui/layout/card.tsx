import type { ReactNode } from 'react'
import type { Tone } from '../feedback/status-badge.tsx'
import classes from './card.module.css'

type Props = {
  /** Its name for screen readers. */
  label: string
  /** The left edge shows its state. */
  edge?: Tone
  children: ReactNode
}

/** One thing of several, in its own frame. */
export function Card({ label, edge, children }: Props) {
  return (
    // Takes the focus when the button that had it is gone: whoever goes on with Tab is still at this card.
    <section className={classes.card} data-edge={edge} aria-label={label} tabIndex={-1}>
      {children}
    </section>
  )
}
