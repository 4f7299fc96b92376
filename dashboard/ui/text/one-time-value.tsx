import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { RawView } from '../code/raw-view.tsx'
import { capitalize } from './capitalize.ts'
import { CopyButton } from './copy-button.tsx'
import { LocalAddress } from './local-address.tsx'

type Props = {
  title: string
  /** What to do with it, and that it is not shown again. */
  text: string
  what: string
  value: string | null
  onClose: () => void
}

/** A value that is shown only once. */
export function OneTimeValue({ title, text, what, value, onClose }: Props) {
  return (
    // A stray click or key must not close it: the value cannot be shown again.
    <Modal
      opened={value !== null}
      onClose={onClose}
      title={title}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Text>{text}</Text>
        <RawView what={capitalize(what)} text={value ?? ''} />
        <LocalAddress url={value ?? ''} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Done
          </Button>
          <CopyButton value={value ?? ''} what={what} labelled main />
        </Group>
      </Stack>
    </Modal>
  )
}
