import { ActionIcon, FileButton, Group, Pill, Text } from '@mantine/core'
import { IconPaperclip } from '@tabler/icons-react'
import { Hint } from '../../../ui/layout/hint.tsx'
import type { Attaching } from './use-attachments.ts'

export function AttachButton({ onChoose }: { onChoose: (files: File[]) => void }) {
  return (
    <FileButton multiple onChange={onChoose}>
      {(props) => (
        <Hint label="Attach files, or drop or paste them">
          <ActionIcon {...props} variant="subtle" color="gray" aria-label="Attach files">
            <IconPaperclip size="1rem" aria-hidden />
          </ActionIcon>
        </Hint>
      )}
    </FileButton>
  )
}

/** What goes with the next message, and what the agent will not be able to read of it. */
export function Attachments({ attaching: { files, error, isBusy, remove } }: { attaching: Attaching }) {
  if (files.length === 0 && error === null && !isBusy) return null
  const unread = files.filter(({ problem }) => problem !== null)
  return (
    <Group gap={6} mb={6} role="group" aria-label="Attached files">
      {files.map(({ id, name }) => (
        <Pill
          key={id}
          withRemoveButton
          onRemove={() => remove(id)}
          removeButtonProps={{ 'aria-label': `Remove ${name}`, 'aria-hidden': false, tabIndex: 0 }}
        >
          {name}
        </Pill>
      ))}
      {isBusy && (
        <Text size="xs" c="dimmed">
          Uploading…
        </Text>
      )}
      {unread.map(({ id, name, problem }) => (
        <Text key={id} size="xs" c="dimmed">
          The agent cannot read {name}: {problem}.
        </Text>
      ))}
      {error && (
        <Text size="xs" c="var(--bad)" role="alert">
          {error}
        </Text>
      )}
    </Group>
  )
}
