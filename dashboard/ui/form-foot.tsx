import { Alert, Button, Group, List, Text } from '@mantine/core'
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
export function FormFoot(props: Props) {
  const { save, saving, dirty, restored, onDiscard, error, children } = props
  const fields =
    error instanceof Error && 'errors' in error && Array.isArray(error.errors) ? error.errors : []
  // A field may be folded away, so its words are said here as well.
  const said = [...new Set(fields.map(wordsOf))]
  return (
    <>
      {Boolean(error) && fields.length === 0 && <Failed error={error} />}
      {fields.length > 0 && (
        <Alert color="red" variant="outline" role="alert" title="Not saved: some fields need another look">
          <List size="sm">
            {said.map((words) => (
              <List.Item key={words}>{words}</List.Item>
            ))}
          </List>
          <Text size="sm" mt={4}>
            Nothing you typed is lost.
          </Text>
        </Alert>
      )}
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

function wordsOf(error: unknown): string {
  const { pointer, detail } = error as { pointer: string; detail: string } // RFC 9457 as the server writes it
  const name = pointer.split('/').slice(1).join(' › ')
  return name === '' ? detail : `${name}: ${detail}`
}
