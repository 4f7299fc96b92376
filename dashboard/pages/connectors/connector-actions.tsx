import { Button, Menu } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../api.ts'
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
    await navigate({ to: '/connectors' })
    undo.later({
      id: connector.id,
      message: `${connector.name} is deleted, with its tools and its secret.`,
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
