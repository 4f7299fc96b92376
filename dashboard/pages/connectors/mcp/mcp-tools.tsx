import { Button, Group, List, Stack, Text } from '@mantine/core'
import { call } from '../../../api.ts'
import type { McpConnector, McpTool } from '../../../contract.ts'
import { useAction } from '../../../hooks/use-action.ts'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { Collapsible } from '../../../ui/layout/collapsible.tsx'
import { Facts } from '../../../ui/layout/facts.tsx'
import { plural } from '../../../ui/text/plural.ts'
import { RelativeTime } from '../../../ui/text/relative-time.tsx'
import { SearchableTools } from '../tools/searchable-tools.tsx'
import { Warnings } from '../warnings.tsx'
import { McpToolCard } from './mcp-tool-card.tsx'

/** Tools that need attention come first. */
const order: McpTool['state'][] = ['quarantined', 'new', 'enabled', 'off', 'gone']

export function McpTools({ connector }: { connector: McpConnector }) {
  const refresh = useAction(() => call('POST', `/connectors/${connector.id}/refresh`), {
    words: 'Tools refreshed',
    changes: [`/connectors/${connector.id}`],
  })
  const tools = connector.tools.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
  const button = (
    <Button size="xs" variant="default" loading={refresh.isPending} onClick={() => refresh.mutate()}>
      Refresh tools
    </Button>
  )
  const { server, health } = connector
  return (
    <Stack>
      <Warnings warnings={connector.warnings} />
      <Group justify="space-between" align="flex-start">
        <Facts
          of={{
            Server: server ? `${server.name} ${server.version}` : 'No response yet',
            Protocol: server
              ? `${server.protocolVersion} over ${server.transport === 'sse' ? 'server-sent events' : 'streamable HTTP'}`
              : null,
            'Last connected': <RelativeTime at={health.lastContactAt} />,
          }}
        />
        {button}
      </Group>
      {tools.length === 0 ? (
        <Empty
          purpose={
            server
              ? 'The server has not published any tools yet.'
              : 'The tools are unknown because the server has not responded yet.'
          }
          example="Once known, they are listed here, and you enable each one."
        />
      ) : (
        <Stack gap={8}>
          <Text size="xs" c="dimmed">
            Review each tool, then enable it or keep it off. The agent sees only enabled tools. If the server
            changes an enabled tool, the agent cannot use it until someone reviews it again.
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
          title="Unusable tools"
          summary={`${plural(connector.refused.length, 'entry', 'entries')} in the server's list`}
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
