import { Button, Menu } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { call, type Paged, withQuery } from '../../api.ts'
import type { Connector } from '../../contract.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useDelete } from '../../hooks/use-delete.ts'
import { askToConfirm } from '../../ui/feedback/ask-to-confirm.ts'
import { MoreMenu } from '../../ui/layout/more-menu.tsx'
import { useTestConnector } from './use-test-outcome.ts'

export function ConnectorActions({ connector }: { connector: Connector }) {
  const testConnector = useTestConnector()
  const test = useAction(() => testConnector(connector.id))
  const remove = useDelete({
    path: `/connectors/${connector.id}`,
    message: `${connector.name} was deleted`,
    list: '/connectors',
  })
  const confirm = async () =>
    askToConfirm({
      title: `Delete ${connector.name}?`,
      text: `Its tools and its stored secrets are deleted immediately.${await usedBy(connector.id)}`,
      action: 'Delete connector',
      onConfirm: () => remove.mutate(),
    })
  return (
    <>
      <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
        Test
      </Button>
      <MoreMenu what="this connector">
        <Menu.Item
          leftSection={<IconTrash size="1rem" aria-hidden />}
          c="var(--bad)"
          onClick={() => void confirm()}
        >
          Delete
        </Menu.Item>
      </MoreMenu>
    </>
  )
}

const namedAtMost = 3
const names = new Intl.ListFormat('en')

/** A sentence about the webhooks and channels that name this connector; empty if there are none. */
async function usedBy(connectorId: string): Promise<string> {
  const list = (path: string) =>
    call<Paged<{ name: string }>>('GET', withQuery(path, { connectorId, limit: namedAtMost }))
      // The question can be asked without it.
      .catch((): Paged<{ name: string }> => ({ items: [], nextCursor: null }))
  const [webhooks, channels] = await Promise.all([list('/webhooks'), list('/channels')])
  const found = [...webhooks.items.map(({ name }) => name), ...channels.items.map(({ name }) => `#${name}`)]
  if (found.length === 0) return ''
  const more = webhooks.nextCursor || channels.nextCursor ? ['others'] : []
  const use = found.length + more.length === 1 ? 'uses' : 'use'
  return ` ${names.format([...found, ...more])} ${use} it and will continue without it.`
}
