import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api.ts'
import type { Message } from '../../contract.ts'
import { Facts } from '../../ui/facts.tsx'
import { RawView } from '../../ui/raw-view.tsx'
import { sayProblem } from '../../ui/say.ts'
import { useMay } from '../accounts/use-me.ts'
import { ApprovalStatusBadge } from '../approvals/approval-status.tsx'
import { reasonError } from '../approvals/use-decide.ts'
import classes from './message-card.module.css'
import { usePutMessage } from './use-messages.ts'

type Props = { message: Message; card: NonNullable<Message['card']> }

/** The question in the channel. The card is a view: it shows the approval as it is now. */
export function MessageCard({ message, card }: Props) {
  return (
    <section className={classes.card} data-state={card.state} aria-label={card.title}>
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
        {card.state === 'pending' ? (
          <Buttons message={message} confirm={card.confirm} />
        ) : (
          card.decidedBy && (
            <Text size="xs" c="dimmed">
              Decided by {card.decidedBy}.
            </Text>
          )
        )}
        <Anchor component={Link} to={`/approvals/${card.approvalId}`} size="xs">
          Open the approval
        </Anchor>
      </Stack>
    </section>
  )
}

/** Other platforms show such a line as a link; here there is a link of our own. */
function isOwnLink(value: string): boolean {
  return URL.canParse(value) && new URL(value).pathname.startsWith('/approvals/')
}

function Buttons({ message, confirm }: { message: Message; confirm: boolean }) {
  const admin = useMay('admin')
  const put = usePutMessage(message.channelId)
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const decide = useMutation({
    mutationFn: (decision: 'approve' | 'deny') =>
      call<Message>('POST', `/messages/${message.id}/decision`, {
        decision,
        ...(reason.trim() ? { reason: reason.trim() } : {}),
      }),
    onSuccess: put,
    onError: (error) => {
      if (!reasonError(error)) sayProblem(error)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['/approvals'] }),
  })
  if (!admin) {
    return (
      <Text size="xs" c="dimmed">
        An admin decides this.
      </Text>
    )
  }
  return (
    <Group gap={8} align="flex-start">
      <Button
        size="xs"
        {...(confirm ? { color: 'red.9' } : {})}
        loading={decide.isPending && decide.variables === 'approve'}
        onClick={() => decide.mutate('approve')}
      >
        {confirm ? 'Confirm and send' : 'Approve'}
      </Button>
      <Button
        size="xs"
        variant="default"
        loading={decide.isPending && decide.variables === 'deny'}
        onClick={() => decide.mutate('deny')}
      >
        Deny
      </Button>
      <TextInput
        size="xs"
        aria-label="Reason"
        placeholder="Reason (optional)"
        value={reason}
        error={reasonError(decide.error)}
        onChange={(event) => setReason(event.currentTarget.value)}
        style={{ flex: '1 1 160px' }}
      />
    </Group>
  )
}
