import { Anchor, Code, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { toolLabel } from '../../../src/shared/tool-label.ts'
import type { Approval } from '../../contract.ts'
import { Card } from '../../ui/card.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { CapabilityBadge } from '../tools/capability-badge.tsx'
import { RequestView } from '../tools/request-view.tsx'
import { ApprovalStatusBadge, approvalTones } from './approval-status.tsx'
import { approvalCause, approvalHeadline } from './approval-text.ts'
import { Decide } from './decide.tsx'

type Props = {
  approval: Approval
  /** The page of its run needs no link to itself, and its own page has the headline as its title. */
  on?: 'run' | 'own-page'
}

/** The question and everything needed to answer it. */
export function ApprovalCard({ approval, on }: Props) {
  const isOperator = useHasRole('operator')
  return (
    <Card label={`Approval of ${toolLabel(approval.tool)}`} edge={approvalTones[approval.status]}>
      <Stack gap={12}>
        <Group gap={8}>
          {on !== 'own-page' && <Text fw={600}>{approvalHeadline(approval)}</Text>}
          <CapabilityBadge capability={approval.capability} />
          <ApprovalStatusBadge status={approval.status} />
        </Group>
        <Text size="xs" c="dimmed">
          Triggered by {approvalCause(approval)} · <RelativeTime at={approval.createdAt} />
          {on !== 'run' && (
            <>
              {' · '}
              <Anchor component={Link} to={`/runs/${approval.runId}`} size="xs">
                Open run
              </Anchor>
            </>
          )}
          {approval.status === 'pending' && (
            <>
              {' · expires '}
              <RelativeTime at={approval.expiresAt} />
            </>
          )}
        </Text>
        {approval.event && (
          <Text size="sm">
            Event{' '}
            {approval.event.summary
              ? `“${approval.event.summary}”, in the sender’s words`
              : approval.event.id}
            {isOperator && (
              <>
                {' · '}
                <Anchor component={Link} to={`/events/${approval.event.id}`} size="sm">
                  Open event
                </Anchor>
              </>
            )}
          </Text>
        )}
        {approval.toolDescription && (
          <Text size="sm" lineClamp={4}>
            {approval.toolDescription}
          </Text>
        )}
        {approval.earlier.map(({ id, status, request }) => (
          <Text key={id} size="sm">
            <IconAlertTriangle size="1em" aria-hidden />{' '}
            {status === 'pending'
              ? 'The same tool still waits for a decision in this thread:'
              : 'The same tool was approved in this thread before:'}{' '}
            <Code>{request}</Code>{' '}
            <Anchor component={Link} to={`/approvals/${id}`} size="sm">
              Open approval
            </Anchor>
          </Text>
        ))}
        <RequestView request={approval.request} />
        <Decide approval={approval} />
      </Stack>
    </Card>
  )
}
