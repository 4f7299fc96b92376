import { Menu, Switch } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconRefresh, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../api.ts'
import type { Webhook } from '../../contract.ts'
import { useDelete } from '../../hooks/use-delete.ts'
import { useQuickChange } from '../../hooks/use-quick-change.ts'
import { askToConfirm } from '../../ui/feedback/ask-to-confirm.ts'
import { MoreMenu } from '../../ui/layout/more-menu.tsx'
import { RotateUrl } from './rotate-url.tsx'

export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const queries = useQueryClient()
  const [rotating, { open, close }] = useDisclosure(false)
  const path = `/webhooks/${webhook.id}`
  const refresh = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: [path] }),
      queries.invalidateQueries({ queryKey: ['/webhooks'] }),
    ])
  const { requested, change } = useQuickChange({
    id: webhook.id,
    // Shown from the answer: a reload by `refresh` is cancelled when the server announces the change itself.
    save: async (patch: { active: boolean }) =>
      queries.setQueryData([path], await call<Webhook>('PATCH', path, patch)),
    refresh,
  })
  const remove = useDelete({ path, message: `${webhook.name} was deleted`, list: '/webhooks' })
  return (
    <>
      <Switch
        checked={(requested ?? webhook).active}
        onChange={(event) => {
          const active = event.currentTarget.checked
          const words = active ? `${webhook.name} accepts events again` : `${webhook.name} refuses events now`
          change({ active }, words)
        }}
        label="Active"
        style={{ alignSelf: 'center' }}
      />
      <MoreMenu what="this webhook">
        <Menu.Item leftSection={<IconRefresh size="1rem" aria-hidden />} onClick={open}>
          Rotate URL
        </Menu.Item>
        <Menu.Item
          leftSection={<IconTrash size="1rem" aria-hidden />}
          c="var(--bad)"
          onClick={() =>
            askToConfirm({
              title: `Delete ${webhook.name}?`,
              text: 'Its URL stops working immediately and for good, and its secrets are deleted. Senders get 410. Events and runs are kept until their retention ends.',
              action: 'Delete webhook',
              onConfirm: () => remove.mutate(),
            })
          }
        >
          Delete
        </Menu.Item>
      </MoreMenu>
      <RotateUrl webhook={webhook} opened={rotating} onClose={close} onRotated={refresh} />
    </>
  )
}
