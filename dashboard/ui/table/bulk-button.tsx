import { Button } from '@mantine/core'

type Props<Row> = {
  /** As in "Enable"; the number of rows follows. */
  verb: string
  rows: Row[]
  action: { isPending: boolean; mutate(rows: Row[], options: { onSuccess(): void }): void }
  onDone(): void
}

/** Does something with those of the selected rows for which it makes sense; is not there if it makes sense for none. */
export function BulkButton<Row>({ verb, rows, action, onDone }: Props<Row>) {
  if (rows.length === 0) return null
  return (
    <Button
      size="xs"
      variant="default"
      loading={action.isPending}
      onClick={() => action.mutate(rows, { onSuccess: onDone })}
    >
      {verb} {rows.length}
    </Button>
  )
}
