import { Group, Text } from '@mantine/core'
import type { Approval } from '../../../contract.ts'
import { BackTo } from '../../../ui/layout/back-to.tsx'
import { useWholeList } from '../../../ui/table/use-whole-list.ts'
import { CapabilityBadge } from '../../tools/capability-badge.tsx'
import { callVerb } from '../approval-text.ts'
import classes from '../approvals.module.css'
import { RequestTable } from './request-table.tsx'
import { SeveralForm, useDecideSeveral } from './several-form.tsx'

type Props = {
  approvals: Approval[]
  /** How many approvals of any tool are loaded. */
  loaded: number
}

/** All pending calls of one tool, compared in a table in which some are selected and decided. */
export function SameTool({ approvals, loaded }: Props) {
  useWholeList(true, loaded)
  const decision = useDecideSeveral()
  const [first] = approvals
  if (!first) return null
  const mayDecide = approvals.some((approval) => approval.mayDecide)
  return (
    <div className={classes.together}>
      <Group gap={8}>
        <BackTo to="/approvals" what="all pending approvals" />
        <Text fw={600} size="lg">
          {callVerb(first.tool)} ×{approvals.length}
        </Text>
        <CapabilityBadge capability={first.capability} />
      </Group>
      {first.toolDescription && <Text size="sm">{first.toolDescription}</Text>}
      <RequestTable
        approvals={approvals}
        {...(mayDecide
          ? {
              bulk: (selected, clear) => (
                <div className={classes.deciding}>
                  <SeveralForm approvals={selected} decision={decision} onDecided={clear} size="xs" />
                </div>
              ),
            }
          : {})}
      />
    </div>
  )
}
