import { Grid, Stack, Title } from '@mantine/core'
import { Navigate } from '@tanstack/react-router'
import type { McpConnector } from '../../../contract.ts'
import { History } from '../../revisions/history.tsx'
import { ToolHealth } from '../tools/tool-health.tsx'
import { McpToolCard } from './mcp-tool-card.tsx'

/** The server defines its tools, so there is none to create here. */
export function McpToolPage({ connector, toolId }: { connector: McpConnector; toolId: string }) {
  const tool = connector.tools.find(({ id }) => id === toolId)
  if (!tool) return <Navigate to={`/connectors/${connector.id}`} replace />
  return (
    <Grid gap="xl">
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Stack gap="xl">
          <McpToolCard connectorId={connector.id} tool={tool} />
          <Stack gap={8}>
            <Title order={2}>History</Title>
            <History path={`/tools/${tool.id}`} mayRestore shownIn={[`/connectors/${connector.id}`]} />
          </Stack>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <ToolHealth connectorId={connector.id} toolId={tool.id} />
      </Grid.Col>
    </Grid>
  )
}
