import { Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Failed } from './failed.tsx'

type Props = {
  save: string
  form: { values: object; isDirty: () => boolean; restored: boolean; forget: () => void }
  /** The save: whether it is on its way, and why it was last refused. */
  saving: { isPending: boolean; error: unknown }
  children?: ReactNode
}

/** The end of every form: what was refused and is not said at a field, the one button, and whether something is unsaved. */
export function FormFoot({ save, form, saving, children }: Props) {
  return (
    <>
      {Boolean(saving.error) && <Failed error={saving.error} of={form.values} />}
      <Group gap={12}>
        <Button type="submit" loading={saving.isPending}>
          {save}
        </Button>
        {children}
        {form.isDirty() && (
          <Text size="xs" c="dimmed" role="status">
            {form.restored ? 'Unsaved changes from before were kept.' : 'Unsaved changes.'}{' '}
            <Button size="compact-xs" variant="subtle" color="gray" onClick={() => form.forget()}>
              Discard
            </Button>
          </Text>
        )}
      </Group>
    </>
  )
}
