import { Button, Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Failed } from './failed.tsx'

type Props = {
  save: string
  saving: boolean
  dirty: boolean
  restored: boolean
  onDiscard: () => void
  /** The refusal of the last save. */
  error: unknown
  children?: ReactNode
}

/** The end of every form: what was refused, the one button, and whether something is unsaved. */
export function FormFoot({ save, saving, dirty, restored, onDiscard, error, children }: Props) {
  return (
    <>
      {Boolean(error) && <Failed error={error} />}
      <Group gap={12}>
        <Button type="submit" loading={saving}>
          {save}
        </Button>
        {children}
        {dirty && (
          <Text size="xs" c="dimmed" role="status">
            {restored ? 'Unsaved changes from before were kept.' : 'Unsaved changes.'}{' '}
            <Button size="compact-xs" variant="subtle" color="gray" onClick={onDiscard}>
              Discard
            </Button>
          </Text>
        )}
      </Group>
    </>
  )
}
