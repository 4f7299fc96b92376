import { Button, type ButtonProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { askToConfirm } from './ask-to-confirm.ts'

type Props = Omit<ButtonProps, 'action' | 'loading'> & {
  question: string
  /** What a yes would lose. */
  text: ReactNode
  /** The verb of the answer, as in "Delete webhook". */
  confirm: string
  cancel?: string
  action: { isPending: boolean; mutate(): void }
  children: ReactNode
  'aria-label'?: string
}

/** For what loses something: asks first. */
export function ConfirmButton({ question, text, confirm, cancel, action, ...button }: Props) {
  const confirmation = { title: question, text, action: confirm, onConfirm: () => action.mutate() }
  return (
    <Button
      size="xs"
      variant="default"
      {...button}
      loading={action.isPending}
      onClick={() => askToConfirm(cancel ? { ...confirmation, cancel } : confirmation)}
    />
  )
}
