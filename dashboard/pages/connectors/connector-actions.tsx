import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconDots, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../api.ts'
import { askFirst } from '../../ui/ask-first.tsx'
import { say, sayProblem } from '../../ui/say.ts'
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
  const remove = useMutation({
    mutationFn: () => call<void>('DELETE', `/connectors/${connector.id}`),
    onSuccess: async () => {
      say('Deleted.')
      await navigate({ to: '/connectors' })
      void queries.invalidateQueries({ queryKey: ['/connectors'] })
    },
    onError: sayProblem,
  })
  return (
    <>
      <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
        Test
      </Button>
      <Menu position="bottom-end" shadow="none" transitionProps={{ duration: 120 }}>
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="More to do with this connector">
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconTrash size={16} />}
            c="var(--bad)"
            onClick={() =>
              askFirst({
                title: `Delete ${connector.name}?`,
                text: 'Its tools and its stored secret are gone for good. Approvals that wait for one of its tools become void.',
                action: 'Delete connector',
                onYes: () => remove.mutate(),
              })
            }
          >
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
