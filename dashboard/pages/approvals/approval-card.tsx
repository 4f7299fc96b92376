import { Anchor, Code, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { toolLabel } from '../../../src/shared/tool-label.ts'
import type { Approval } from '../../contract.ts'
import { Card } from '../../ui/layout/card.tsx'
import { Collapsible } from '../../ui/layout/collapsible.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { CapabilityBadge } from '../tools/capability-badge.tsx'
import { RequestView } from '../tools/request-view.tsx'
import classes from './approval-card.module.css'
import { ApprovalStatusBadge, approvalTones } from './approval-status.tsx'
import {
  approvalCause,
  approvalSummary,
  approverLine,
  callSubject,
  callVerb,
  fieldsOf,
} from './approval-text.ts'
import { CallInputs } from './decision/call-inputs.tsx'
import { EditedBy } from './decision/edited-by.tsx'

type Props = {
  approval: Approval
  /** The page of a run needs no link to itself. */
  on?: 'run' | 'channel'
  /** The buttons, or who decided. */
  children: ReactNode
}

/** The question and everything needed to answer it: what, why, the exact request, then the decision. */
export function ApprovalCard({ approval, on, children }: Props) {
  const subject = callSubject(approval)
  const approvers = approverLine(approval)
  return (
    <Card label={`Approval of ${toolLabel(approval.tool)}`} edge={approvalTones[approval.status]}>
      <Stack gap={12} className={classes.card}>
        <Group gap={8}>
          <Text fw={600} size={on ? 'sm' : 'lg'} className={classes.title}>
            {callVerb(approval.tool)}
            {subject && (
              <>
                {' · '}
                <bdi>{subject}</bdi>
              </>
            )}
          </Text>
          <CapabilityBadge capability={approval.capability} />
          {approval.status !== 'pending' && <ApprovalStatusBadge status={approval.status} />}
        </Group>
        <What approval={approval} compact={on === 'channel'} />
        <Why approval={approval} on={on} />
        {approval.edited && <EditedBy edited={approval.edited} />}
        {approvers && <Text size="sm">{approvers}</Text>}
        {approval.askedBecause && <Text size="sm">{approval.askedBecause}</Text>}
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
        <Collapsible
          title="Exact request"
          summary={approvalSummary(approval)}
          open={fieldsOf(approval.input).length === 0}
        >
          <Stack gap={8}>
            <RequestView request={approval.request} />
            <Text size="xs" c="dimmed">
              Approval covers exactly this request. If the tool or its connector changes, the approval becomes
              void. Digest{' '}
              <Code fz={12} className={classes.digest}>
                {approval.digest}
              </Code>
            </Text>
          </Stack>
        </Collapsible>
        {children}
      </Stack>
    </Card>
  )
}

function What({ approval, compact }: { approval: Approval; compact: boolean }) {
  return (
    <section aria-label="What" data-compact={compact || undefined}>
      {!compact && <h3 className={classes.head}>What</h3>}
      {approval.toolDescription && (
        <Text size="sm" lineClamp={compact ? 2 : 4} mb={6} title={approval.toolDescription}>
          <Text span c="dimmed">
            {toolLabel(approval.tool)}:{' '}
          </Text>
          {approval.toolDescription}
        </Text>
      )}
      {fieldsOf(approval.input).length > 0 && <CallInputs input={approval.input} />}
    </section>
  )
}

function Why({ approval, on }: Pick<Props, 'approval' | 'on'>) {
  const isOperator = useHasRole('operator')
  const { event } = approval
  return (
    <section aria-label="Why">
      {on !== 'channel' && <h3 className={classes.head}>Why</h3>}
      {event && (
        <Text size="sm" className={classes.cause}>
          {event.summary ? (
            <>
              Event <q>{event.summary}</q>, in the sender’s words
            </>
          ) : (
            `Event ${event.id}`
          )}
        </Text>
      )}
      <Text size="xs" c="dimmed">
        Triggered by <bdi>{approvalCause(approval)}</bdi> <RelativeTime at={approval.createdAt} />
        {approval.channelName && on !== 'channel' && ` · replies in ${approval.channelName}`}
        {approval.status === 'pending' && (
          <>
            {' · expires '}
            <RelativeTime at={approval.expiresAt} />
          </>
        )}
        {event && isOperator && (
          <>
            {' · '}
            <Anchor component={Link} to={`/events/${event.id}`} size="xs">
              Open event
            </Anchor>
          </>
        )}
        {on !== 'run' && (
          <>
            {' · '}
            <Anchor component={Link} to={`/runs/${approval.runId}`} size="xs">
              Open run
            </Anchor>
          </>
        )}
      </Text>
    </section>
  )
}
