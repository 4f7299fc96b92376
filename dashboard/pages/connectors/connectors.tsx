import { Alert, Button, Code, Group, Stack } from '@mantine/core'
import { IconPlug } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import type { Connector } from '../../contract.ts'
import { useFilter } from '../../hooks/use-filter.ts'
import { EmptyList } from '../../ui/feedback/empty-list.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { BrandAvatar } from '../../ui/logos/brand-avatar.tsx'
import { brandOf } from '../../ui/logos/brands.ts'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { isEmpty, ListView } from '../../ui/table/list-view.tsx'
import { SearchField } from '../../ui/table/search-field.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { ConnectorState } from './connector-state.tsx'
import { addressOf } from './connector-values.ts'
import { healthColumns, shareOfErrors } from './tools/health-columns.tsx'
import { type Health, useConnectorHealth } from './tools/use-tool-health.ts'
import { useConnectors } from './use-connectors.ts'

export default function Connectors() {
  const [q, setQ] = useFilter('q')
  const [signIn] = useFilter('sign-in')
  const connectors = useConnectors(q)
  const healthOf = useConnectorHealth()
  const create = (
    <Button component={Link} to="/connectors/new" size="xs">
      New connector
    </Button>
  )
  const importButton = (
    <Button component={Link} to="/connectors/import" variant="default" size="xs" style={{ flex: 'none' }}>
      Import
    </Button>
  )
  return (
    <Page title="Connectors" wide action={create}>
      <Stack>
        {signIn === 'expired' && (
          <Alert color="yellow" variant="outline" title="Nobody was connected">
            The sign-in was started in another browser or more than ten minutes ago. Open the connector and
            start again.
          </Alert>
        )}
        {(q !== undefined || !isEmpty(connectors)) && (
          <Group justify="space-between" gap={8} wrap="nowrap">
            <SearchField label="Search connectors" value={q} onChange={setQ} />
            {importButton}
          </Group>
        )}
        <ListView
          query={connectors}
          empty={
            <EmptyList
              what="connectors"
              to="/connectors"
              filtered={q !== undefined}
              searched="Search covers names, addresses and tools."
              icon={<IconPlug size="1.75rem" stroke={1.5} aria-hidden />}
              purpose="A connector gives the agent tools from one of your APIs. You choose which calls it may make and what each may do."
              example="Import an OpenAPI document or a curl command to get tools in a minute, or connect an MCP server."
              action={
                <Group gap={8}>
                  {importButton}
                  <Button
                    component={Link}
                    to="/connectors/new"
                    search={{ type: 'mcp' } as never}
                    variant="default"
                    size="xs"
                  >
                    Connect an MCP server
                  </Button>
                </Group>
              }
            />
          }
        >
          {(items) => (
            <DataTable
              label="Connectors"
              rows={items}
              columns={[...columns, ...healthColumns(healthOf), lastCall(healthOf)]}
              rowHref={(connector) => `/connectors/${connector.id}`}
              // What fails comes first.
              trouble={({ id, health }) =>
                Number(health.lastError !== null) + (shareOfErrors(healthOf.get(id)) ?? 0)
              }
            />
          )}
        </ListView>
      </Stack>
    </Page>
  )
}

const lastCall = (healthOf: ReadonlyMap<string, Health>): Column<Connector> => ({
  name: 'Last call',
  narrow: 'wide-only',
  sort: ({ id }) => healthOf.get(id)?.lastCalledAt,
  cell: ({ id }) => <RelativeTime at={healthOf.get(id)?.lastCalledAt ?? null} none="–" />,
})

const columns: Column<Connector>[] = [
  {
    name: 'Name',
    grow: true,
    sort: ({ name }) => name,
    cell: (connector) => (
      <>
        <BrandAvatar brand={brandOf(addressOf(connector))} name={connector.name} />
        {connector.name}
      </>
    ),
  },
  { name: 'State', cell: (connector) => <ConnectorState connector={connector} /> },
  {
    name: 'Type',
    narrow: 'wide-only',
    sort: ({ type }) => type,
    cell: ({ type }) => (type === 'http' ? 'HTTP API' : 'MCP server'),
  },
  {
    name: 'Address',
    grow: true,
    narrow: 'hide',
    cell: (connector) => (
      <Code fz={12} style={{ background: 'none' }}>
        {addressOf(connector)}
      </Code>
    ),
  },
  {
    name: 'Tools',
    numeric: true,
    sort: ({ tools }) => tools.length,
    cell: (connector) => connector.tools.length,
  },
]
