import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api.ts'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { notify } from '../../ui/feedback/notify.ts'
import { DateTimeInput } from '../../ui/forms/date-time-input.tsx'
import { plural } from '../../ui/text/plural.ts'
import { useHasRole } from '../accounts/use-me.ts'

/** What passes by itself or was mended since; the others would fail again. */
const reasons = [
  { value: 'model_unavailable', label: 'The model did not answer' },
  { value: 'model_key_refused', label: 'The API key was refused' },
  { value: 'model_no_credit', label: 'No credit at the model provider' },
  { value: 'model_not_found', label: 'The provider did not know the model' },
  { value: 'model_error', label: 'The model rejected the request' },
  { value: 'empty_answer', label: 'The model answered nothing' },
  { value: 'time_exceeded', label: 'Time limit of the run' },
  { value: 'cost_exceeded', label: 'Cost limit of the run' },
  { value: 'internal_error', label: 'Internal error' },
]

const dayMs = 86_400_000

type Props = { webhookId: string | undefined; from: string | undefined }
type Replayed = { runIds: string[]; more: boolean }

/** After an outage: all events that failed for one reason, at once. */
export function ReplayFailed({ webhookId, from }: Props) {
  const operator = useHasRole('operator')
  const [opened, { open, close }] = useDisclosure()
  const [failedWith, setFailedWith] = useState('model_unavailable')
  const [since, setSince] = useState<string | undefined>(from)
  const replay = useMutation({
    mutationFn: () =>
      call<Replayed>('POST', '/events/replay', {
        failedWith,
        since: since ?? new Date(Date.now() - dayMs).toISOString(),
        ...(webhookId ? { webhookId } : {}),
      }),
    onSuccess: ({ runIds, more }) => {
      close()
      const replayed = `Replaying ${plural(runIds.length, 'event')}.`
      notify(more ? `${replayed} There are more: replay them when these are done.` : replayed)
    },
  })
  if (!operator) return null
  return (
    <>
      <Group>
        <Button variant="default" size="xs" onClick={open}>
          Replay failed events
        </Button>
      </Group>
      <Modal opened={opened} onClose={close} title="Replay failed events">
        <Stack>
          <Text size="sm">
            Each event is handled again as a new run with the current settings{' '}
            {webhookId ? 'of this webhook' : 'of its webhook or schedule'}. Events whose replay succeeded or
            is running are left out.
          </Text>
          <Select
            label="Failed because"
            data={reasons}
            value={failedWith}
            onChange={(value) => setFailedWith(value ?? failedWith)}
            allowDeselect={false}
          />
          <DateTimeInput label="Since" value={since} onChange={(value) => setSince(value ?? undefined)} />
          {since === undefined && (
            <Text size="xs" c="dimmed">
              Without a time: the last 24 hours.
            </Text>
          )}
          {replay.error && <ErrorAlert error={replay.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button loading={replay.isPending} onClick={() => replay.mutate()}>
              Replay
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
