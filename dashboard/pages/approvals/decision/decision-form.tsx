import { Button, Group, Kbd, Text, TextInput } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useRef } from 'react'
import { fieldError } from '../../../ui/forms/field-errors.ts'
import { useDraftText } from '../../../ui/forms/use-draft-text.ts'
import { type Decision, reasonOf } from './use-decide.ts'

type Props = {
  approvalId: string
  decide: {
    isPending: boolean
    variables: Decision | undefined
    error: unknown
    mutate: (decision: Decision) => void
  }
  /** For a destructive call, which is confirmed. */
  confirm?: boolean
  size?: 'xs' | 'sm'
  /** How many calls are decided at once. */
  count?: number
  /** `A` approves, `D` asks for the reason, Enter denies: for the one call that a page is about. */
  keys?: boolean
  /** Null for somebody who may decide; else whom the call waits for. */
  waitsFor: string | null
}

/** The buttons to approve or deny. */
export function DecisionForm({
  approvalId,
  decide,
  confirm = false,
  size = 'sm',
  count = 1,
  keys = false,
  waitsFor,
}: Props) {
  const [reason, setReason] = useDraftText(reasonOf(approvalId))
  const field = useRef<HTMLInputElement>(null)
  const send = (verb: Decision['verb']) => {
    if (!decide.isPending) decide.mutate({ verb, reason: reason.trim() })
  }
  useHotkeys(
    keys && waitsFor === null
      ? [
          // A key that is held down must not decide the next one, too.
          ['a', ({ repeat }) => repeat || send('approve')],
          ['d', () => field.current?.focus()],
        ]
      : [],
  )
  if (waitsFor !== null) {
    return (
      <Text size="xs" c="dimmed">
        Waiting for {waitsFor} to decide
      </Text>
    )
  }
  const button = (verb: Decision['verb'], key: string) => ({
    size,
    loading: decide.isPending && decide.variables?.verb === verb,
    onClick: () => send(verb),
    rightSection: keys && (
      <Kbd size="xs" aria-hidden visibleFrom="sm">
        {key}
      </Kbd>
    ),
  })
  const many = count > 1 ? ` ${count}` : ''
  return (
    <Group gap={8} align="flex-start">
      <Button {...button('approve', 'A')} {...(confirm ? { color: 'red.9' } : {})}>
        {confirm ? 'Confirm and send' : `Approve${many}`}
      </Button>
      <Button {...button('deny', 'D')} variant="default">
        {`Deny${many}`}
      </Button>
      <TextInput
        ref={field}
        size={size}
        aria-label="Reason"
        placeholder={keys ? 'Reason (optional). Press Enter to deny.' : 'Reason (optional)'}
        value={reason}
        error={fieldError(decide.error, 'reason')}
        onChange={(event) => setReason(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (!keys || event.nativeEvent.isComposing) return
          if (event.key === 'Enter') send('deny')
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
        style={{ flex: '1 1 10rem' }}
      />
    </Group>
  )
}
