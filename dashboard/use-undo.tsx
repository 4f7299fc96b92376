import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { sayProblem } from './ui/say.ts'
import { useKnown } from './use-known.ts'

const undoMs = 7000
const goingKey = ['going']
const none: ReadonlySet<string> = new Set()

/** Ids of what something is about to happen to: lists leave out already what is about to be deleted. */
export function useGoing(): ReadonlySet<string> {
  return useKnown(goingKey, none)
}

/** For whatever can be taken back: no question before, but a way back after. */
export function useUndo() {
  const queries = useQueryClient()
  const setGoing = (id: string, going: boolean) =>
    queries.setQueryData<ReadonlySet<string>>(goingKey, (before = none) =>
      going ? new Set([...before, id]) : new Set([...before].filter((one) => one !== id)),
    )
  return {
    /** It is done; `back` does the opposite. */
    offer(message: string, back: () => void): void {
      showUndo(message, back)
    },
    /** It is done in some seconds, or when the page is left, unless somebody calls it back. */
    later(what: { id: string; message: string; act: () => Promise<unknown> }): void {
      const finish = async () => {
        stop()
        await what.act().catch(sayProblem)
        setGoing(what.id, false)
      }
      const stop = () => {
        clearTimeout(timer)
        removeEventListener('pagehide', finish)
      }
      const timer = setTimeout(finish, undoMs)
      addEventListener('pagehide', finish)
      setGoing(what.id, true)
      showUndo(what.message, () => {
        stop()
        setGoing(what.id, false)
      })
    },
  }
}

function showUndo(message: string, onUndo: () => void): void {
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
            onUndo()
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  })
}
