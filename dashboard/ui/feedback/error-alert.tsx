import { Alert, Button, Code, Group, List, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { pointedErrors, unshownErrors } from '../forms/field-errors.ts'

type Props = {
  error: unknown
  retry?: () => void
  /** The values of the refused form: errors shown at its fields are not repeated here. */
  of?: object
  /** What to do about it, if the error does not say. */
  children?: ReactNode
}

/** Shows any thrown value in words: what happened, why, what to do. */
export function ErrorAlert({ error, retry, of = {}, children }: Props) {
  const { title, detail, reference } = describeError(error)
  const fields = fieldMessages(unshownErrors(error, of))
  if (fields.length === 0 && pointedErrors(error).length > 0) return null
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  const gone = status === 404
  // Retrying does not help if it is gone or forbidden.
  const again = gone || status === 403 ? undefined : retry
  // A refusal explains itself; a fault is looked up in the log.
  const named = typeof status === 'number' && status < 500 ? undefined : reference
  return (
    <Alert
      color="red"
      variant="outline"
      icon={<IconAlertTriangle size="1.125rem" aria-hidden />}
      title={title}
      role="alert"
    >
      <Stack gap={8}>
        {fields.length > 0 ? (
          <List size="sm">
            {fields.map((words) => (
              <List.Item key={words}>{words}</List.Item>
            ))}
          </List>
        ) : (
          <Text size="sm">
            {detail}
            {gone ? ' It may have been deleted, or the link is incomplete.' : ''}
          </Text>
        )}
        {children}
        {(again || named) && (
          <Group gap={12}>
            {again && (
              <Button size="xs" variant="default" onClick={again}>
                Try again
              </Button>
            )}
            {named && (
              <Text size="xs" c="dimmed">
                Reference <Code>{named}</Code>
              </Text>
            )}
          </Group>
        )}
      </Stack>
    </Alert>
  )
}

type Described = { title: string; detail: string; fields: string[]; reference?: string }

export function describeError(error: unknown): Described {
  if (error instanceof Error && 'title' in error && typeof error.title === 'string') {
    const reference = 'instance' in error && typeof error.instance === 'string' ? error.instance : undefined
    const fields = fieldMessages(pointedErrors(error))
    return { title: error.title, detail: error.message, fields, ...(reference ? { reference } : {}) }
  }
  return {
    title: 'This page crashed',
    detail: `${error instanceof Error ? error.message : String(error)}. Reload the page. If it happens again, report this message.`,
    fields: [],
  }
}

function fieldMessages(errors: { parts: string[]; detail: string }[]): string[] {
  const words = errors.map(({ parts, detail }) => {
    const name = parts.map(plainName).join(' › ')
    return name === '' ? detail : `${name.replace(/^[a-z]/, (letter) => letter.toUpperCase())}: ${detail}`
  })
  return [...new Set(words)]
}

/** `baseUrl` as the pages say it: `base URL`. */
function plainName(name: string): string {
  return name
    .replaceAll(/[a-z][A-Z]/g, (pair) => `${pair[0]} ${pair[1]?.toLowerCase()}`)
    .replaceAll(/\b(url|api|id)\b/g, (word) => word.toUpperCase())
}
