import { BellIcon } from './bell-icon.tsx'
import classes from './logo.module.css'

/** The bell and the name, as a logo. */
export function Logo({ size }: { size?: string }) {
  return (
    <span className={classes.name}>
      <BellIcon {...(size ? { size } : {})} />
      Bellhop
    </span>
  )
}
