import {
  IconAlertCircle,
  IconCircleCheck,
  IconCircleDashed,
  IconLoader2,
  IconPlayerPause,
} from '@tabler/icons-react'
import { capitalize } from '../text/capitalize.ts'
import classes from './status-badge.module.css'

export type Tone = 'good' | 'busy' | 'waiting' | 'bad' | 'idle'

const icons = {
  good: IconCircleCheck,
  busy: IconLoader2,
  waiting: IconPlayerPause,
  bad: IconAlertCircle,
  idle: IconCircleDashed,
}

/** A state as colour, icon and word together, so that none of them alone carries the meaning. */
export function StatusBadge({ tone, word }: { tone: Tone; word: string }) {
  const Icon = icons[tone]
  return (
    <span className={classes.badge} data-tone={tone}>
      <Icon size="0.8125rem" stroke={2} aria-hidden="true" />
      {capitalize(word)}
    </span>
  )
}
