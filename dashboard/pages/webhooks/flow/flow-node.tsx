import { Link } from '@tanstack/react-router'
import classes from './flow.module.css'

/** `waiting`: somebody should look. `bad`: events end here. */
type Tone = 'waiting' | 'bad' | null

type Props = { name: string; what: string; figure: string; tone?: Tone; to: string }

/** One station of a flow: what it is, and what happened there in the last 24 hours. */
export function FlowNode({ name, what, figure, tone = null, to }: Props) {
  return (
    <li className={classes.station}>
      <Link to={to} className={classes.node} data-tone={tone ?? undefined}>
        <span className={classes.name}>{name}</span>
        <span className={classes.what}>{what}</span>
        <span className={classes.figure} data-tone={tone ?? undefined}>
          {figure}
        </span>
      </Link>
    </li>
  )
}
