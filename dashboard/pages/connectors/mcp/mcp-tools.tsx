import { Button, Group, List, Stack, Text } from '@mantine/core'
import { call } from '../../../api.ts'
import type { McpConnector, McpTool } from '../../../contract.ts'
import { useAction } from '../../../hooks/use-action.ts'
import { useBulk } from '../../../hooks/use-bulk.ts'
import { ConfirmButton } from '../../../ui/feedback/confirm-button.tsx'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { Collapsible } from '../../../ui/layout/collapsible.tsx'
import { Facts } from '../../../ui/layout/facts.tsx'
import { plural } from '../../../ui/text/plural.ts'
import { RelativeTime } from '../../../ui/text/relative-time.tsx'
import { useHasRole } from '../../accounts/use-me.ts'
import { Hosts } from '../tools/hosts.tsx'
import { SearchableTools } from '../tools/searchable-tools.tsx'
import { useToolHealth } from '../tools/use-tool-health.ts'
import { Warnings } from '../warnings.tsx'
import { McpToolTable } from './mcp-tool-table.tsx'

/** Tools that need attention come first. */
const order: McpTool['state'][] = ['quarantined', 'new', 'enabled', 'off', 'gone']

export function McpTools({ connector }: { connector: McpConnector }) {
  const { hosts, healthOf } = useToolHealth(connector.id)
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
  const admin = useHasRole('admin')
  const reads = tools.filter((tool) => tool.state === 'new' && tool.suggestedCapability === 'read')
  const enable = useBulk(
    // The hash of what was shown: if the tool changed in between, the server refuses.
    (tool: McpTool) =>
      call('PATCH', `/connectors/${connector.id}/tools/${tool.id}`, {
        state: 'enabled',
        hash: tool.hash,
        capability: 'read',
      }),
    { done: 'Enabled', what: 'tool', changes: [`/connectors/${connector.id}`] },
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
            'Hosts, last 48 hours': hosts.length > 0 ? <Hosts hosts={hosts} /> : null,
            'Last connected': <RelativeTime at={health.lastContactAt} />,
          }}
        />
        <Group gap={8}>
          {admin && reads.length > 1 && (
            <ConfirmButton
              variant="filled"
              question={`Enable ${plural(reads.length, 'read tool')}?`}
              text={`The server says that these tools only read: ${reads.map(({ name }) => name).join(', ')}. The agent calls them without approval.`}
              confirm={`Enable ${reads.length}`}
              action={{ isPending: enable.isPending, mutate: () => enable.mutate(reads) }}
            >
              Enable the {reads.length} reads
            </ConfirmButton>
          )}
          {button}
        </Group>
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
            Open each tool to review its definition, then enable the tool or keep it off. The agent sees only
            enabled tools. If the server changes an enabled tool, the agent cannot use it until someone
            reviews it again.
          </Text>
          <SearchableTools tools={tools}>
            {(shown) => <McpToolTable connectorId={connector.id} tools={shown} healthOf={healthOf} />}
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
