import { Alert, Button, Group, Stack, Tabs } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Connector } from '../../contract.ts'
import { useParam, useUrlChoice } from '../../hooks/use-filter.ts'
import { notify } from '../../ui/feedback/notify.ts'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { BackTo } from '../../ui/layout/back-to.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { BrandAvatar } from '../../ui/logos/brand-avatar.tsx'
import { brandOf } from '../../ui/logos/brands.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { GrantPanel, UseOauth } from './auth/grant-panel.tsx'
import { ConnectorActions } from './connector-actions.tsx'
import { ConnectorForm } from './connector-form.tsx'
import { addressOf } from './connector-values.ts'
import { McpTools } from './mcp/mcp-tools.tsx'
import { TestOutcomeView } from './test-outcome.tsx'
import { HttpTools } from './tools/http-tools.tsx'
import { useConnector } from './use-connectors.ts'
import { useTestOutcome } from './use-test-outcome.ts'

export default function ConnectorPage() {
  const connector = useConnector(useParam('connectorId'))
  const { data } = connector
  return (
    <Page
      title={data?.name ?? 'Connector'}
      picture={data && <BrandAvatar brand={brandOf(addressOf(data))} name={data.name} />}
      back={<BackTo to="/connectors" what="connectors" />}
      action={data ? <ConnectorActions connector={data} /> : null}
    >
      <QueryView query={connector}>{(value) => <ConnectorTabs connector={value} />}</QueryView>
    </Page>
  )
}

/** That somebody must sign in is said by the box for that, once there is one. */
function isOutdated(code: string | undefined, { grant }: Connector): boolean {
  return code === 'not_connected' || (code === 'sign_in_required' && grant !== null)
}

function ConnectorTabs({ connector }: { connector: Connector }) {
  const [tab, setTab] = useUrlChoice('tab', ['tools', 'settings'])
  const [outcome, closeOutcome] = useTestOutcome(connector.id)
  const saved = () => notify('Connector saved')
  return (
    <Stack>
      {connector.grant && <GrantPanel connector={connector} grant={connector.grant} />}
      {outcome && !isOutdated(outcome.problem?.code, connector) && (
        <TestOutcomeView outcome={outcome} onClose={closeOutcome}>
          {outcome.problem?.code === 'sign_in_required' && <UseOauth connector={connector} />}
        </TestOutcomeView>
      )}
      {connector.health.lastError && !outcome && (
        <Alert color="red" variant="outline" title="The last connection failed">
          {connector.health.lastError} (<RelativeTime at={connector.health.lastErrorAt} />)
        </Alert>
      )}
      <Tabs value={tab} onChange={setTab} keepMounted={false}>
        <Tabs.List mb="lg" aria-label="Connector sections">
          <Tabs.Tab value="tools">Tools</Tabs.Tab>
          <Tabs.Tab value="settings">Settings</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="tools">
          {connector.type === 'http' ? (
            <HttpTools
              connector={connector}
              create={
                <Group gap={8}>
                  <Button component={Link} to="/connectors/import" size="xs" variant="default">
                    Import tools
                  </Button>
                  <Button
                    component={Link}
                    to={`/connectors/${connector.id}/tools/new`}
                    size="xs"
                    variant="default"
                  >
                    New tool
                  </Button>
                </Group>
              }
            />
          ) : (
            <McpTools connector={connector} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="settings">
          <ConnectorForm key={connector.id} type={connector.type} connector={connector} onSaved={saved} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  )
}
