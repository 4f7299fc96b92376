import { Button, Menu } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call, type Paged, withQuery } from '../../api.ts'
import type { Connector } from '../../contract.ts'
import { MoreMenu } from '../../ui/more-menu.tsx'
import { useAction } from '../../use-action.ts'
import { useUndo } from '../../use-undo.tsx'
import { useTestConnector } from './use-test-outcome.ts'

export function ConnectorActions({ connector }: { connector: Connector }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const testConnector = useTestConnector()
  const test = useAction(() => testConnector(connector.id))
  const undo = useUndo()
  const remove = async () => {
    const listedBy = await namesListing(connector.id)
    await navigate({ to: '/connectors' })
    undo.later({
      id: connector.id,
      message: `${connector.name} is deleted, with its tools and its secret.${listedBy}`,
      act: async () => {
        await call<void>('DELETE', `/connectors/${connector.id}`)
        await queries.invalidateQueries({ queryKey: ['/connectors'] })
      },
    })
  }
  return (
    <>
      <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
        Test
      </Button>
      <MoreMenu what="this connector">
        <Menu.Item
          leftSection={<IconTrash size="1rem" aria-hidden />}
          c="var(--bad)"
          onClick={() => void remove()}
        >
          Delete
        </Menu.Item>
      </MoreMenu>
    </>
  )
}

const namedAtMost = 3
const names = new Intl.ListFormat('en')

/** A sentence about the webhooks and channels that name this connector and will have one less; empty if there are none. */
async function namesListing(connectorId: string): Promise<string> {
  const list = (path: string) =>
    call<Paged<{ name: string }>>('GET', withQuery(path, { connectorId, limit: namedAtMost }))
      // It is deleted all the same.
      .catch((): Paged<{ name: string }> => ({ items: [], nextCursor: null }))
  const [webhooks, channels] = await Promise.all([list('/webhooks'), list('/channels')])
  const found = [...webhooks.items.map(({ name }) => name), ...channels.items.map(({ name }) => `#${name}`)]
  if (found.length === 0) return ''
  const more = webhooks.nextCursor || channels.nextCursor ? ['others'] : []
  const go = found.length + more.length === 1 ? 'lists it and goes' : 'list it and go'
  return ` ${names.format([...found, ...more])} ${go} on without it.`
}
