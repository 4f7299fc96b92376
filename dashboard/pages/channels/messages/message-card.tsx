import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { call } from '../../../api.ts'
import type { Message } from '../../../contract.ts'
import { RawView } from '../../../ui/code/raw-view.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { Card } from '../../../ui/layout/card.tsx'
import { ApprovalCard } from '../../approvals/approval-card.tsx'
import { ApprovalStatusBadge, approvalTones } from '../../approvals/approval-status.tsx'
import { waitsFor } from '../../approvals/approval-text.ts'
import { DecisionForm } from '../../approvals/decision/decision-form.tsx'
import { useDecide } from '../../approvals/decision/use-decide.ts'
import { useApproval } from '../../approvals/use-approvals.ts'
import classes from './message-card.module.css'
import { usePutMessage } from './use-messages.ts'

type Props = { message: Message; card: NonNullable<Message['card']> }

/** An approval in the channel: the whole question while it is pending, then a line that says what became of it. */
export function MessageCard({ message, card }: Props) {
  return (
    <div className={classes.place}>
      {card.state === 'pending' ? (
        <Pending message={message} card={card} />
      ) : (
        <Ended message={message} card={card} />
      )}
    </div>
  )
}

function Pending({ message, card }: Props) {
  const put = usePutMessage(message.channelId)
  const approval = useApproval(card.approvalId)
  const decide = useDecide({
    approvalId: card.approvalId,
    send: ({ verb, reason }) =>
      call<Message>(
        'POST',
        `/messages/${message.id}/decision`,
        { decision: verb, ...(reason ? { reason } : {}) },
        approval.data ? { ifMatch: approval.data.digest } : {},
      ),
    onDecided: (decided) => put(decided, false),
  })
  const form = (
    <DecisionForm
      approvalId={card.approvalId}
      decide={decide}
      confirm={card.confirm}
      // Of an approval that cannot be read, the server says who decides.
      waitsFor={approval.data ? waitsFor(approval.data) : null}
      size="xs"
    />
  )
  if (approval.data) {
    return (
      <ApprovalCard approval={{ ...approval.data, status: card.state }} on="channel">
        {form}
      </ApprovalCard>
    )
  }
  return (
    <Card label={card.title} edge={approvalTones[card.state]}>
      {/* The card itself holds the request, should the approval not be readable. */}
      {approval.isPending ? <Loading rows={3} /> : <RawView what="Request" text={card.request} />}
      {approval.isPending ? null : form}
    </Card>
  )
}

function Ended({ message, card }: Props) {
  return (
    <Card label={card.title} edge={approvalTones[card.state]}>
      <Stack gap={6}>
        <Group gap={8}>
          <Text fw={600}>{card.title}</Text>
          <ApprovalStatusBadge status={card.state} />
        </Group>
        <Text size="xs" c="dimmed" lineClamp={2} className={classes.request}>
          {card.request}
        </Text>
        <Group gap={12}>
          {card.decidedBy && (
            <Text size="xs" c="dimmed">
              Decided by {card.decidedBy} {card.outcome}
            </Text>
          )}
          <Anchor component={Link} to={`/approvals/${card.approvalId}`} size="xs">
            Open approval
          </Anchor>
          {message.runId && (
            <Anchor component={Link} to={`/runs/${message.runId}`} size="xs">
              Open run
            </Anchor>
          )}
        </Group>
      </Stack>
    </Card>
  )
}
