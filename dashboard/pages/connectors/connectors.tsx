import { Button, Code } from '@mantine/core'
import { IconPlug } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { Page } from '../../ui/page.tsx'
import type { Connector } from './connector-kinds.ts'
import { ConnectorState } from './connector-state.tsx'
import { useConnectors } from './use-connectors.ts'

export default function Connectors() {
  const connectors = useConnectors(true)
  const create = (
    <Button component={Link} to="/connectors/new" size="xs">
      New connector
    </Button>
  )
  const bring = (
    <Button component={Link} to="/connectors/import" size="xs" variant="default" visibleFrom="sm">
      Import
    </Button>
  )
  return (
    <Page
      title="Connectors"
      wide
      action={
        <>
          {bring}
          {create}
        </>
      }
    >
      <ListView
        query={connectors}
        empty={
          <Empty
            icon={<IconPlug size={28} stroke={1.5} />}
            purpose="A connector gives the agent an API as tools. You say which calls exist and what each one may do."
            example="Import an OpenAPI document or paste a curl line, and the tools are there in a minute."
            action={
              <Button component={Link} to="/connectors/import" variant="default">
                Import
              </Button>
            }
          />
        }
      >
        {(items) => (
          <DataTable
            label="Connectors"
            rows={items}
            columns={columns}
            rowKey={(connector) => connector.id}
            rowHref={(connector) => `/connectors/${connector.id}`}
          />
        )}
      </ListView>
    </Page>
  )
}

const columns: Column<Connector>[] = [
  { name: 'Name', grow: true, cell: (connector) => connector.name },
  { name: 'State', cell: (connector) => <ConnectorState connector={connector} /> },
  { name: 'Type', narrow: 'hide', cell: ({ type }) => (type === 'http' ? 'HTTP API' : 'MCP server') },
  {
    name: 'Address',
    grow: true,
    narrow: 'hide',
    cell: (connector) => (
      <Code fz={12} style={{ background: 'none' }}>
        {connector.type === 'http' ? connector.baseUrl : connector.url}
      </Code>
    ),
  },
  { name: 'Tools', numeric: true, cell: (connector) => connector.tools.length },
]
