import { Button, Group, Text, TextInput } from '@mantine/core'
import { fieldError } from '../../ui/field-errors.ts'
import { useDraftText } from '../../ui/use-draft-text.ts'
import { useHasRole } from '../accounts/use-me.ts'
import { type Decision, reasonOf, type useDecide } from './use-decide.ts'

type Props = {
  approvalId: string
  decide: ReturnType<typeof useDecide>
  /** For a destructive call, which is confirmed. */
  confirm?: boolean
  size?: 'xs' | 'sm'
}

/** The buttons to approve or deny, for admins. */
export function DecisionForm({ approvalId, decide, confirm = false, size = 'sm' }: Props) {
  const admin = useHasRole('admin')
  const [reason, setReason] = useDraftText(reasonOf(approvalId))
  if (!admin) {
    return (
      <Text size="xs" c="dimmed">
        Waiting for an admin to decide
      </Text>
    )
  }
  const button = (verb: Decision['verb']) => ({
    size,
    loading: decide.isPending && decide.variables.verb === verb,
    onClick: () => decide.mutate({ verb, reason: reason.trim() }),
  })
  return (
    <Group gap={8} align="flex-start">
      <Button {...button('approve')} {...(confirm ? { color: 'red.9' } : {})}>
        {confirm ? 'Confirm and send' : 'Approve'}
      </Button>
      <Button {...button('deny')} variant="default">
        Deny
      </Button>
      <TextInput
        size={size}
        aria-label="Reason"
        placeholder="Reason (optional)"
        value={reason}
        error={fieldError(decide.error, 'reason')}
        onChange={(event) => setReason(event.currentTarget.value)}
        style={{ flex: '1 1 10rem' }}
      />
    </Group>
  )
}
