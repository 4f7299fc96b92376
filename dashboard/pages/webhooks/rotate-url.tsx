import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api.ts'
import type { Webhook } from '../../contract.ts'
import { RawView } from '../../ui/code/raw-view.tsx'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { rememberUrl } from './use-endpoint-url.ts'

type Props = { webhook: Webhook; opened: boolean; onClose: () => void; onRotated: () => void }

const overlaps = [
  { value: '0', label: 'Not at all' },
  { value: '3600', label: 'One hour' },
  { value: '86400', label: 'One day' },
  { value: '604800', label: 'One week' },
]

export function RotateUrl({ webhook, opened, onClose, onRotated }: Props) {
  const queries = useQueryClient()
  const [overlap, setOverlap] = useState('3600')
  const rotate = useMutation({
    mutationFn: () =>
      call<Webhook>(
        'POST',
        `/webhooks/${webhook.id}/rotate`,
        overlap === '0' ? {} : { overlapSeconds: Number(overlap) },
      ),
    onSuccess: (rotated) => {
      rememberUrl(queries, { id: webhook.id, endpointUrl: rotated.endpointUrl })
      onRotated()
    },
  })
  const close = () => {
    onClose()
    rotate.reset()
  }
  return (
    <Modal opened={opened} onClose={close} title="Rotate URL">
      {rotate.data ? (
        <Stack>
          <Text>This is the new URL. Update every sender.</Text>
          <RawView what="New URL" text={rotate.data.endpointUrl} />
          <Group justify="flex-end">
            <CopyButton value={rotate.data.endpointUrl} what="URL" labelled />
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <Stack>
          <Text>Creates a new URL. Settings, events and runs are kept.</Text>
          <Select
            label="Keep the old URL working for"
            description="Gives you time to update senders. This page shows when the old URL was last used."
            data={overlaps}
            value={overlap}
            allowDeselect={false}
            onChange={(value) => setOverlap(value ?? '0')}
          />
          {rotate.error && <ErrorAlert error={rotate.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
              Rotate
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}
