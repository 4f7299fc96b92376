import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { call } from '../../api.ts'
import type { Message } from '../../contract.ts'
import { Card } from '../../ui/card.tsx'
import { Facts } from '../../ui/facts.tsx'
import { RawView } from '../../ui/raw-view.tsx'
import { ApprovalStatusBadge, approvalTones } from '../approvals/approval-status.tsx'
import { DecisionForm } from '../approvals/decision-form.tsx'
import { useDecide } from '../approvals/use-decide.ts'
import classes from './message-card.module.css'
import { usePutMessage } from './use-messages.ts'

type Props = { message: Message; card: NonNullable<Message['card']> }

/** An approval in the channel. The card is a view of its current state. */
export function MessageCard({ message, card }: Props) {
  const put = usePutMessage(message.channelId)
  const decide = useDecide({
    approvalId: card.approvalId,
    send: ({ verb, reason }) =>
      call<Message>('POST', `/messages/${message.id}/decision`, {
        decision: verb,
        ...(reason ? { reason } : {}),
      }),
    onDecided: (decided) => put(decided, false),
  })
  return (
    <div className={classes.place}>
      <Card label={card.title} edge={approvalTones[card.state]}>
        <Stack gap={10}>
          <Group gap={8}>
            <Text fw={600}>{card.title}</Text>
            <ApprovalStatusBadge status={card.state} />
          </Group>
          <Facts
            of={Object.fromEntries(
              card.lines.filter(({ value }) => !isOwnLink(value)).map(({ label, value }) => [label, value]),
            )}
          />
          <RawView what="Request" text={card.request} maxHeight={220} />
          {card.headers && (
            <details>
              <summary className={classes.fold}>Headers</summary>
              <RawView what="Headers" text={card.headers} maxHeight={160} />
            </details>
          )}
          {card.state === 'pending' ? (
            <DecisionForm approvalId={card.approvalId} decide={decide} confirm={card.confirm} size="xs" />
          ) : (
            card.decidedBy && (
              <Text size="xs" c="dimmed">
                Decided by {card.decidedBy} {card.outcome}
              </Text>
            )
          )}
          <Group gap={12}>
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
    </div>
  )
}

/** Other platforms show such a line as a link; here we render our own links. */
function isOwnLink(value: string): boolean {
  return URL.canParse(value) && /\/(approvals|runs|events)\/[^/]+$/.test(new URL(value).pathname)
}
