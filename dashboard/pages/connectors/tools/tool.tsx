import { Grid, Stack, Title } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useDelete } from '../../../hooks/use-delete.ts'
import { useParam } from '../../../hooks/use-filter.ts'
import { useStillOnPage } from '../../../hooks/use-still-on-page.ts'
import { ConfirmButton } from '../../../ui/feedback/confirm-button.tsx'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { notify } from '../../../ui/feedback/notify.ts'
import { QueryView } from '../../../ui/feedback/query-view.tsx'
import { BackTo } from '../../../ui/layout/back-to.tsx'
import { Collapsible } from '../../../ui/layout/collapsible.tsx'
import { Page } from '../../../ui/layout/page.tsx'
import { ToolApprovers } from '../../approvals/approvers/tool-approvers.tsx'
import { History } from '../../revisions/history.tsx'
import { McpToolPage } from '../mcp/mcp-tool-page.tsx'
import { useConnector } from '../use-connectors.ts'
import { ToolForm } from './form/tool-form.tsx'
import { ToolHealth } from './tool-health.tsx'
import { TryTool } from './try-tool.tsx'

export default function ToolPage() {
  const connectorId = useParam('connectorId')
  const toolId = useParam('toolId')
  const connector = useConnector(connectorId)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const isStillOnPage = useStillOnPage()
  const tool = connector.data?.tools.find(({ id }) => id === toolId)
  const refresh = () =>
    Promise.all(
      [`/connectors/${connectorId}`, `/tools/${toolId}/revisions`].map((path) =>
        queries.invalidateQueries({ queryKey: [path] }),
      ),
    )
  const list = `/connectors/${connectorId}`
  const remove = useDelete({
    path: `${list}/tools/${toolId}`,
    message: `${tool?.name ?? 'The tool'} was deleted`,
    list,
  })
  const isNew = toolId === 'new'
  return (
    <Page
      title={isNew ? 'New tool' : (tool?.name ?? 'Tool')}
      back={<BackTo to={`/connectors/${connectorId}`} what="the connector" />}
      action={
        tool && connector.data?.type === 'http' ? (
          <ConfirmButton
            question={`Delete ${tool.name}?`}
            text="The agent can no longer call it, and pending approvals of it become void."
            confirm="Delete tool"
            action={remove}
          >
            Delete
          </ConfirmButton>
        ) : null
      }
    >
      <QueryView query={connector}>
        {(value) =>
          !isNew && !tool ? (
            <Empty purpose="Tool not found" example="It may have been deleted, or the link is incomplete." />
          ) : value.type === 'mcp' ? (
            <McpToolPage connector={value} toolId={toolId} />
          ) : (
            <Grid gap="xl">
              <Grid.Col span={{ base: 12, md: 7 }}>
                <ToolForm
                  key={toolId}
                  connectorId={value.id}
                  baseUrl={value.baseUrl}
                  {...(tool ? { tool } : {})}
                  onSaved={async (saved) => {
                    notify(isNew ? 'Tool created' : 'Tool saved')
                    await refresh()
                    if (!isNew || !isStillOnPage()) return
                    await navigate({ to: `/connectors/${connectorId}/tools/${saved.id}` })
                    // "Try it" is at the top.
                    window.scrollTo({ top: 0 })
                  }}
                />
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 5 }}>
                {tool && (
                  <Stack>
                    <ToolHealth connectorId={connectorId} toolId={tool.id} />
                    <Stack gap={8}>
                      <Title order={2}>Try it</Title>
                      <TryTool key={tool.id} tool={tool} />
                    </Stack>
                    <Collapsible
                      title="Approvers"
                      summary={tool.permission === 'auto' ? 'Only if a policy asks' : null}
                      open={tool.permission !== 'auto' && tool.permission !== 'off'}
                    >
                      <ToolApprovers key={`approvers-${tool.id}`} toolId={tool.id} />
                    </Collapsible>
                    <Stack gap={8}>
                      <Title order={2}>History</Title>
                      <History path={`/tools/${tool.id}`} mayRestore shownIn={[list]} />
                    </Stack>
                  </Stack>
                )}
              </Grid.Col>
            </Grid>
          )
        }
      </QueryView>
    </Page>
  )
}
