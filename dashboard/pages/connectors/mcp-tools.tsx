import { Button, Group, List, Stack, Text } from '@mantine/core'
import { call } from '../../api.ts'
import type { McpConnector, McpTool } from '../../contract.ts'
import { Collapsible } from '../../ui/collapsible.tsx'
import { count } from '../../ui/count.ts'
import { Empty } from '../../ui/empty.tsx'
import { Facts } from '../../ui/facts.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useAction } from '../../use-action.ts'
import { McpToolCard } from './mcp-tool-card.tsx'
import { SearchableTools } from './searchable-tools.tsx'
import { Warnings } from './warnings.tsx'

/** Tools that need attention come first. */
const order: McpTool['state'][] = ['quarantined', 'new', 'enabled', 'off', 'gone']

export function McpTools({ connector }: { connector: McpConnector }) {
  const refresh = useAction(() => call('POST', `/connectors/${connector.id}/refresh`), {
    words: 'The server was asked again.',
    changes: [`/connectors/${connector.id}`],
  })
  const tools = connector.tools.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
  const button = (
    <Button size="xs" variant="default" loading={refresh.isPending} onClick={() => refresh.mutate()}>
      Ask the server again
    </Button>
  )
  const { server, health } = connector
  return (
    <Stack>
      <Warnings warnings={connector.warnings} />
      <Group justify="space-between" align="flex-start">
        <Facts
          of={{
            Server: server ? `${server.name} ${server.version}` : 'Has not answered yet',
            Protocol: server
              ? `${server.protocolVersion} over ${server.transport === 'sse' ? 'server-sent events' : 'streamable HTTP'}`
              : null,
            'Last contact': <RelativeTime at={health.lastContactAt} />,
          }}
        />
        {button}
      </Group>
      {tools.length === 0 ? (
        <Empty
          purpose={
            server
              ? 'The server has published no tools yet.'
              : 'Its tools are not known: the server has not answered yet.'
          }
          example="As soon as they are known, they are listed here, and you enable each one."
        />
      ) : (
        <Stack gap={8}>
          <Text size="xs" c="dimmed">
            Look at each tool, then enable it or keep it off; the agent sees enabled ones only. What is
            enabled is pinned: when the server changes it, the tool stops until somebody looks again.
          </Text>
          <SearchableTools tools={tools}>
            {(shown) =>
              shown.map((tool) => <McpToolCard key={tool.id} connectorId={connector.id} tool={tool} />)
            }
          </SearchableTools>
        </Stack>
      )}
      {connector.refused.length > 0 && (
        <Collapsible
          title="Cannot be used"
          summary={`${count(connector.refused.length, 'entry', 'entries')} of the server's list`}
        >
          <List size="sm">
            {connector.refused.map(({ name, reason }) => (
              <List.Item key={`${name}${reason}`}>
                {name}: {reason}
              </List.Item>
            ))}
          </List>
        </Collapsible>
      )}
    </Stack>
  )
}
