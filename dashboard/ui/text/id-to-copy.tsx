import { Group, Text } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'

export function IdToCopy({ id }: { id: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Text ff="monospace" size="xs">
        {id}
      </Text>
      <CopyButton value={id} what="ID" />
    </Group>
  )
}
