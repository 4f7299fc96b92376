import { Anchor, SegmentedControl, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Connector } from '../../contract.ts'
import { useUrlChoice } from '../../hooks/use-filter.ts'
import { useNavigateIfHere } from '../../hooks/use-navigate-if-here.ts'
import { BackTo } from '../../ui/layout/back-to.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { ConnectorForm } from './connector-form.tsx'

export default function NewConnector() {
  const [type, setType] = useUrlChoice('type', ['http', 'mcp'])
  const navigateIfHere = useNavigateIfHere()
  const open = ({ id }: Connector) => void navigateIfHere(`/connectors/${id}`)
  return (
    <Page title="New connector" back={<BackTo to="/connectors" what="connectors" />}>
      <Stack>
        <SegmentedControl
          w={280}
          aria-label="Connector type"
          value={type}
          onChange={setType}
          data={[
            { value: 'http', label: 'HTTP API' },
            { value: 'mcp', label: 'MCP server' },
          ]}
        />
        <Text c="dimmed" maw={720}>
          {type === 'mcp'
            ? 'A server that publishes its own tools. Bellhop finds them, and a person reviews each one before the agent can call it.'
            : 'A REST API. You define each call that the agent may make. '}
          {type === 'http' && (
            <Anchor component={Link} to="/connectors/import">
              Import from OpenAPI or curl instead
            </Anchor>
          )}
        </Text>
        <ConnectorForm key={type} type={type} onSaved={open} />
      </Stack>
    </Page>
  )
}
