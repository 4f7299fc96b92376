import { Tooltip } from '@mantine/core'
import type { Capability } from '../../contract.ts'
import classes from './capability-badge.module.css'

export const capabilityLabels: Record<Capability, string> = {
  read: 'Only looks. Runs at once.',
  write: 'Changes something. An admin approves each call.',
  destructive:
    'Deletes, reaches many people, or cannot be undone. Only for admins, and an admin confirms in the channel.',
}

export function CapabilityBadge({ capability }: { capability: Capability }) {
  return (
    <Tooltip label={capabilityLabels[capability]} multiline maw={280}>
      <span className={classes.badge} data-capability={capability}>
        {capability}
      </span>
    </Tooltip>
  )
}
