import { useWindowEvent } from '@mantine/hooks'
import { useState } from 'react'
import { useOnDemand } from '../hooks/use-on-demand.ts'
import { type Confirmation, confirmEvent } from '../ui/feedback/ask-to-confirm.ts'

/** Shows the confirmations of `askToConfirm` in a dialog that is loaded with the first one. */
export function Confirmations() {
  const [Dialog, wantDialog] = useOnDemand(() => import('./confirm-dialog.tsx'))
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null)
  useWindowEvent(confirmEvent, ({ detail }: CustomEvent<Confirmation>) => {
    setConfirmation(detail)
    wantDialog()
  })
  return Dialog && confirmation && <Dialog confirmation={confirmation} />
}
