import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { ConfirmButton } from '../feedback/confirm-button.tsx'

type Props<Row> = {
  /** As in "Enable"; the number of rows follows. */
  verb: string
  rows: Row[]
  action: { isPending: boolean; mutate(rows: Row[], options: { onSuccess(): void }): void }
  onDone(): void
  /** For what loses something: asks first. */
  ask?: { question: string; text: ReactNode; confirm?: string; cancel?: string }
}

/** Does something with those of the selected rows for which it makes sense; is not there if it makes sense for none. */
export function BulkButton<Row>({ verb, rows, action, onDone, ask }: Props<Row>) {
  if (rows.length === 0) return null
  const words = `${verb} ${rows.length}`
  const act = () => action.mutate(rows, { onSuccess: onDone })
  if (!ask)
    return (
      <Button size="xs" variant="default" loading={action.isPending} onClick={act}>
        {words}
      </Button>
    )
  return (
    <ConfirmButton confirm={words} {...ask} action={{ isPending: action.isPending, mutate: act }}>
      {words}
    </ConfirmButton>
  )
}
