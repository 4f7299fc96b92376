import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorAlert } from '../feedback/error-alert.tsx'
import { Unsaved } from './unsaved.tsx'

type Props = {
  save: string
  form: {
    values: object
    isDirty: () => boolean
    restored: boolean
    conflicting: boolean
    discard: () => void
  }
  /** Whether the save is running, and why it was last refused. */
  saving: { isPending: boolean; error: unknown }
  /** Somebody must confirm something first. */
  stopped?: boolean
  children?: ReactNode
}

/** The end of every form: errors that no field shows, the one button, and whether something is unsaved. */
export function FormFoot({ save, form, saving, stopped = false, children }: Props) {
  return (
    <>
      {Boolean(saving.error) && <ErrorAlert error={saving.error} of={form.values} />}
      <Group gap={12}>
        <Button type="submit" loading={saving.isPending} disabled={stopped}>
          {save}
        </Button>
        {children}
        {form.isDirty() && <Unsaved form={form} />}
      </Group>
    </>
  )
}
