import type { Capability } from '../../contract.ts'
import { Hint } from '../../ui/layout/hint.tsx'
import { capitalize } from '../../ui/text/capitalize.ts'
import classes from './capability-badge.module.css'

export const capabilityLabels: Record<Capability, string> = {
  read: 'Looks things up. Runs without approval.',
  write: 'Changes something. An admin approves each call.',
  destructive:
    'Deletes data, reaches many people or cannot be undone. Admins only, and confirmed in the channel.',
}

export function CapabilityBadge({ capability }: { capability: Capability }) {
  return (
    <Hint label={capabilityLabels[capability]} multiline maw={280}>
      <span className={classes.badge} data-capability={capability}>
        {capitalize(capability)}
      </span>
    </Hint>
  )
}
