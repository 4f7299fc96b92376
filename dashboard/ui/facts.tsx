import { Fragment, type ReactNode } from 'react'
import classes from './facts.module.css'

/** Names and values, in the order they are written. Those whose value is null or undefined are left out. */
export function Facts({ of }: { of: Record<string, ReactNode> }) {
  return (
    <dl className={classes.facts}>
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
