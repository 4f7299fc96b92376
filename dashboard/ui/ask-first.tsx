import { Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import type { ReactNode } from 'react'

type Question = {
  title: string
  /** What is lost by a yes. */
  text: ReactNode
  /** The verb on the button, as in "Delete webhook". */
  action: string
  onYes: () => void
}

/** Asked only where something is lost. The safe answer has the focus. */
export function askFirst({ title, text, action, onYes }: Question): void {
  modals.openConfirmModal({
    title,
    children: <Text size="sm">{text}</Text>,
    labels: { confirm: action, cancel: 'Keep it' },
    confirmProps: { color: 'red.9' },
    cancelProps: { 'data-autofocus': true },
    onConfirm: onYes,
  })
}
