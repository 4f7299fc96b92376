import type { ReactNode } from 'react'

export type Question = {
  title: string
  /** What a yes would lose. */
  text: ReactNode
  /** The verb on the button, as in "Delete webhook". */
  action: string
  /** The label of the other button; "Cancel" without it. */
  otherwise?: string
  onYes: () => void
}

export const askFirstEvent = 'ask-first'

/** Asks only when something would be lost; the frame shows the question. */
export function askFirst(question: Question): void {
  dispatchEvent(new CustomEvent(askFirstEvent, { detail: question }))
}
