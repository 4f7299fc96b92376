import { ActionIcon, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconDots, IconPencil, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../api.ts'
import type { Channel } from '../../contract.ts'
import { askFirst } from '../../ui/ask-first.tsx'
import { say, sayProblem } from '../../ui/say.ts'
import { useMay } from '../accounts/use-me.ts'
import { RenameChannel } from './rename-channel.tsx'

export function ChannelActions({ channel }: { channel: Channel }) {
  const operator = useMay('operator')
  const navigate = useNavigate()
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => call<void>('DELETE', `/channels/${channel.id}`),
    onSuccess: async () => {
      say('Deleted.')
      await queries.invalidateQueries({ queryKey: ['/channels'] })
      await navigate({ to: '/channels' })
    },
    onError: sayProblem,
  })
  const [renaming, { open, close }] = useDisclosure(false)
  if (!operator || channel.platform !== 'built-in') return null
  return (
    <>
      <RenameChannel key={channel.name} channel={channel} opened={renaming} onClose={close} />
      <Menu position="bottom-end" shadow="none" transitionProps={{ duration: 120 }}>
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="More to do with this channel">
            <IconDots size={16} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={open}>
            Rename
          </Menu.Item>
          <Menu.Item
            leftSection={<IconTrash size={16} />}
            c="var(--bad)"
            onClick={() =>
              askFirst({
                title: `Delete #${channel.name}?`,
                text: 'Its messages are gone with it. A channel that a webhook posts to cannot be deleted.',
                action: 'Delete channel',
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
