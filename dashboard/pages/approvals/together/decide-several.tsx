import { Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Approval } from '../../../contract.ts'
import { Card } from '../../../ui/layout/card.tsx'
import { Collapsible } from '../../../ui/layout/collapsible.tsx'
import { plural } from '../../../ui/text/plural.ts'
import { CapabilityBadge } from '../../tools/capability-badge.tsx'
import { RequestView } from '../../tools/request-view.tsx'
import { approvalSummary, callSubject, callVerb } from '../approval-text.ts'
import { requestKey } from '../fold-approvals.ts'
import { RequestTable } from './request-table.tsx'
import { SeveralForm, useDecideSeveral } from './several-form.tsx'

type Props = { approvals: Approval[]; onDecided: () => void }

/** What is selected in the queue, decided together. */
export function DecideSeveral({ approvals, onDecided }: Props) {
  const decision = useDecideSeveral()
  const [first] = approvals
  if (!first) return null
  const oneTool = approvals.every(({ tool }) => tool === first.tool)
  const identical = approvals.every((approval) => requestKey(approval) === requestKey(first))
  const approveOne = async () => {
    const refusals = await decision.decide([first], { verb: 'approve', reason: '' })
    if (refusals.length > 0) return
    await decision.decide(approvals.slice(1), { verb: 'deny', reason: 'Duplicate request' })
    onDecided()
  }
  return (
    <Card label={`Approval of ${plural(approvals.length, 'call')}`} edge="waiting">
      <Stack gap={12}>
        <Group gap={8}>
          <Text fw={600} size="lg">
            {identical ? `${callVerb(first.tool)} · ${callSubject(first) ?? approvalSummary(first)}` : null}
            {!identical && (oneTool ? callVerb(first.tool) : 'Different tools')} ×{approvals.length}
          </Text>
          {oneTool && <CapabilityBadge capability={first.capability} />}
        </Group>
        {identical && (
          <Text size="sm">
            The agent requested the same call {approvals.length} times. Each approval sends it once more.
          </Text>
        )}
        {oneTool ? <RequestTable approvals={approvals} /> : <Calls approvals={approvals} />}
        {identical && (
          <Collapsible title="Exact request" summary={approvalSummary(first)}>
            <RequestView request={first.request} />
          </Collapsible>
        )}
        <SeveralForm approvals={approvals} decision={decision} onDecided={onDecided} />
        {identical && first.mayDecide && first.kind !== 'confirm' && (
          <Button
            variant="default"
            size="xs"
            loading={decision.isPending}
            onClick={() => void approveOne()}
            style={{ alignSelf: 'flex-start' }}
          >
            Approve one, deny {approvals.length - 1} as duplicates
          </Button>
        )}
      </Stack>
    </Card>
  )
}

/** Calls of different tools have no columns in common. */
function Calls({ approvals }: { approvals: Approval[] }) {
  return (
    <Stack component="ul" gap={6} m={0} pl={20}>
      {approvals.map((approval) => (
        <li key={approval.id}>
          <Anchor component={Link} to={`/approvals/${approval.id}`} size="sm">
            {callVerb(approval.tool)} · {callSubject(approval) ?? approvalSummary(approval)}
          </Anchor>
        </li>
      ))}
    </Stack>
  )
}
