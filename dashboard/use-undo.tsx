import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { notifyProblem } from './ui/notify.ts'
import { useTabState } from './use-tab-state.ts'

const undoMs = 7000
const pendingKey = ['going']
type PendingActions = ReadonlyMap<string, () => Promise<void>>
const none: PendingActions = new Map()

/** The ids of things about to be changed: lists already leave out what is about to be deleted. */
export function usePendingActions(): PendingActions {
  return useTabState(pendingKey, none)
}

/** Signing out does not wait for the delay: pending actions are done now, while the session lasts. */
export async function finishPendingActions(queries: QueryClient): Promise<void> {
  const pendingActions = queries.getQueryData<PendingActions>(pendingKey) ?? none
  await Promise.all([...pendingActions.values()].map((finish) => finish()))
}

/** For actions that can be undone: no question before, but an undo after. */
export function useUndo() {
  const queries = useQueryClient()
  const setGoing = (id: string, finish: (() => Promise<void>) | null) =>
    queries.setQueryData<PendingActions>(pendingKey, (before = none) => {
      const others = [...before].filter(([one]) => one !== id)
      return new Map(finish ? [...others, [id, finish]] : others)
    })
  return {
    /** The action is done; `back` reverts it. */
    offer(message: string, back: () => void): void {
      showUndo(message, back)
    },
    /** Does the action after some seconds, or when the page is left, unless somebody undoes it. */
    later(what: { id: string; message: string; act: () => Promise<unknown> }): void {
      const finish = async () => {
        stop()
        await what.act().catch(notifyProblem)
        setGoing(what.id, null)
      }
      const stop = () => {
        clearTimeout(timer)
        removeEventListener('pagehide', finish)
        notifications.hide(notice)
      }
      const timer = setTimeout(finish, undoMs)
      addEventListener('pagehide', finish)
      setGoing(what.id, finish)
      // Not closed by a timer of its own, which stops while the pointer is over it: an undo that comes too late is not offered.
      const notice = showUndo(
        what.message,
        () => {
          stop()
          setGoing(what.id, null)
        },
        false,
      )
    },
  }
}

function showUndo(message: string, onUndo: () => void, autoClose: number | false = undoMs): string {
  const id = notifications.show({
    color: 'brass',
    autoClose,
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
  return id
}
