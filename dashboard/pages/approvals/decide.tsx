import { Anchor, Button, Group, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Approval } from '../../contract.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useMay } from '../accounts/use-me.ts'
import { useDecide } from './use-decide.ts'

/** Yes or no, for those who may; who decided, for everybody. */
export function Decide({ approval, inChannel }: { approval: Approval; inChannel: boolean }) {
  const admin = useMay('admin')
  const decide = useDecide()
  const [reason, setReason] = useState('')
  if (approval.status !== 'pending') return <Decided approval={approval} />
  if (!admin) {
    return (
      <Text size="xs" c="dimmed">
        An admin decides this.
      </Text>
    )
  }
  if (approval.kind === 'confirm' && !inChannel) {
    return (
      <Text size="sm">
        This call is destructive, so it is confirmed in the channel.{' '}
        <Anchor component={Link} to={`/channels/${approval.channelId}`}>
          Go to the channel
        </Anchor>
      </Text>
    )
  }
  const act = (verb: 'approve' | 'deny') => decide.mutate({ id: approval.id, verb, reason: reason.trim() })
  const confirm = approval.kind === 'confirm'
  return (
    <Group gap={8} align="flex-start">
      <Button
        {...(confirm ? { color: 'red.9' } : {})}
        loading={decide.isPending && decide.variables.verb === 'approve'}
        onClick={() => act('approve')}
      >
        {confirm ? 'Confirm and send' : 'Approve'}
      </Button>
      <Button
        variant="default"
        loading={decide.isPending && decide.variables.verb === 'deny'}
        onClick={() => act('deny')}
      >
        Deny
      </Button>
      <TextInput
        aria-label="Reason"
        placeholder="Reason (optional)"
        value={reason}
        error={decide.reasonError}
        onChange={(event) => setReason(event.currentTarget.value)}
        style={{ flex: '1 1 220px' }}
      />
    </Group>
  )
}

function Decided({ approval }: { approval: Approval }) {
  return (
    <Text size="xs" c="dimmed">
      {approval.decidedBy ? `Decided by ${approval.decidedBy.name} ` : 'Nobody decided it '}
      <RelativeTime at={approval.decidedAt} none="" />
      {approval.reason ? ` · “${approval.reason}”` : ''}
    </Text>
  )
}
