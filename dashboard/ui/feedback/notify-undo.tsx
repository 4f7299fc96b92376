import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'

const undoMs = 7000

/** Reports a change that is done, with a button that reverts it. */
export function notifyUndo(message: string, revert: () => void): void {
  const id = notifications.show({
    color: 'brass',
    autoClose: undoMs,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          variant="default"
          flex="none"
          onClick={() => {
            notifications.hide(id)
            revert()
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  })
}
