import { Code, Group, Stack, Text } from '@mantine/core'
import type { SentRequest } from '../../contract.ts'
import { headerLines } from '../../ui/code/header-lines.ts'
import { RawView } from '../../ui/code/raw-view.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { MethodBadge } from './method-badge.tsx'

/** A request as it goes over the wire, secrets masked by the server. */
export function RequestView({ request }: { request: SentRequest }) {
  const headers = headerLines(request.headers)
  return (
    <Stack gap={8}>
      <Group gap={8} wrap="nowrap" align="flex-start">
        <MethodBadge method={request.method} />
        <Code style={{ overflowWrap: 'anywhere', background: 'none' }} p={0} fz={13}>
          {request.url}
        </Code>
        <CopyButton value={request.url} what="URL" />
      </Group>
      {request.body ? (
        <RawView what="Body" text={request.body} json />
      ) : (
        <Text size="xs" c="dimmed">
          No body
        </Text>
      )}
      {headers !== '' && <RawView what="Headers" text={headers} maxHeight={160} />}
    </Stack>
  )
}
