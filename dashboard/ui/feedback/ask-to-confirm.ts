import type { ReactNode } from 'react'

export type Confirmation = {
  title: string
  /** What a yes would lose. */
  text: ReactNode
  /** The verb on the button, as in "Delete webhook". */
  action: string
  /** The label of the other button; "Cancel" without it. */
  cancel?: string
  onConfirm: () => void
}

export const confirmEvent = 'confirm-action'

/** Asks only when something would be lost; the frame shows the confirmation. */
export function askToConfirm(confirmation: Confirmation): void {
  dispatchEvent(new CustomEvent(confirmEvent, { detail: confirmation }))
}
