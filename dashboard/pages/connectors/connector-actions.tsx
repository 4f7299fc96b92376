import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconDots, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../api.ts'
import { sayProblem } from '../../ui/say.ts'
import { useUndo } from '../../use-undo.tsx'
import type { Connector } from './connector-kinds.ts'
import type { TestOutcome } from './test-outcome.tsx'

export function ConnectorActions({ connector }: { connector: Connector }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const test = useMutation({
    mutationFn: () => call<TestOutcome>('POST', `/connectors/${connector.id}/test`, {}),
    onSuccess: (outcome) => queries.setQueryData(['test-outcome', connector.id], outcome),
    onError: sayProblem,
  })
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
      <Menu>
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="More to do with this connector">
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconTrash size={16} />} c="var(--bad)" onClick={() => void remove()}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
