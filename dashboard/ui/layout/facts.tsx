import type { ReactNode } from 'react'
import classes from './facts.module.css'

type Props = {
  of: Record<string, ReactNode>
  /** Side by side, each value below its name. */
  strip?: boolean
}

/** Names and values, in the order they are written. Those without a value are left out. */
export function Facts({ of, strip = false }: Props) {
  return (
    <dl className={classes.facts} data-strip={strip || undefined}>
      {Object.entries(of)
        .filter(([, value]) => value !== null && value !== undefined && value !== false)
        .map(([name, value]) => (
          <div key={name} className={classes.fact}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
