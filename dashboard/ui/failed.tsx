import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'

/** Any thrown thing, in words: what happened, why, what to do. */
export function Failed({ error, retry }: { error: unknown; retry?: () => void }) {
  const { title, detail, reference } = describe(error)
  return (
    <Alert color="red" variant="outline" icon={<IconAlertTriangle size={18} />} title={title} role="alert">
      <Stack gap={8}>
        <Text size="sm">{detail}</Text>
        {(retry || reference) && (
          <Group gap={12}>
            {retry && (
              <Button size="xs" variant="default" onClick={retry}>
                Try again
              </Button>
            )}
            {reference && (
              <Text size="xs" c="dimmed">
                Reference <Code>{reference}</Code>
              </Text>
            )}
          </Group>
        )}
      </Stack>
    </Alert>
  )
}

export function describe(error: unknown): { title: string; detail: string; reference?: string } {
  if (error instanceof Error && 'title' in error && typeof error.title === 'string') {
    const reference = 'instance' in error && typeof error.instance === 'string' ? error.instance : undefined
    return { title: error.title, detail: error.message, ...(reference ? { reference } : {}) }
  }
  return {
    title: 'This page met a fault of its own',
    detail: `${error instanceof Error ? error.message : String(error)}. Reload the page; if it stays, report it with these words.`,
  }
}
