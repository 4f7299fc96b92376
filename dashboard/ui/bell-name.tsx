import { BellMark } from './bell-mark.tsx'
import classes from './bell-name.module.css'

/** The bell and the name, as a logo. */
export function BellName({ size }: { size?: string }) {
  return (
    <span className={classes.name}>
      <BellMark {...(size ? { size } : {})} />
      Bellhop
    </span>
  )
}
