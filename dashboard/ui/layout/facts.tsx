import { Fragment, type ReactNode } from 'react'
import classes from './facts.module.css'

type Props = {
  of: Record<string, ReactNode>
  /** Two columns. */
  pairs?: boolean
}

/** Names and values, in the order they are written. Those whose value is null or undefined are left out. */
export function Facts({ of, pairs = false }: Props) {
  return (
    <dl className={classes.facts} data-pairs={pairs || undefined}>
      {Object.entries(of)
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  )
}
