import { Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconSettings, IconTrash } from '@tabler/icons-react'
import type { Channel } from '../../contract.ts'
import { useDelete } from '../../hooks/use-delete.ts'
import { askToConfirm } from '../../ui/feedback/ask-to-confirm.ts'
import { MoreMenu } from '../../ui/layout/more-menu.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { ChannelSettings } from './channel-settings.tsx'
import { notifyLevels, useNotifyLevel } from './use-notify-level.ts'

export function ChannelActions({ channel }: { channel: Channel }) {
  const operator = useHasRole('operator')
  const remove = useDelete({
    path: `/channels/${channel.id}`,
    message: `#${channel.name} was deleted`,
    list: '/channels',
  })
  const [showsSettings, { open, close }] = useDisclosure(false)
  const { level, choose } = useNotifyLevel(channel)
  return (
    <>
      {operator && (
        <ChannelSettings
          key={JSON.stringify([channel.id, channel.name, channel.connectorIds, channel.readsAcross])}
          channel={channel}
          opened={showsSettings}
          onClose={close}
        />
      )}
      <MoreMenu what="this channel">
        {operator && (
          <Menu.Item leftSection={<IconSettings size="1rem" aria-hidden />} onClick={open}>
            Settings
          </Menu.Item>
        )}
        {operator && <Menu.Divider />}
        <Menu.Label>Count as unread</Menu.Label>
        <Menu.RadioGroup value={level} onChange={choose}>
          {notifyLevels.map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value} closeMenuOnClick>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        {operator && channel.platform === 'built-in' && <Menu.Divider />}
        {operator && channel.platform === 'built-in' && (
          <Menu.Item
            leftSection={<IconTrash size="1rem" aria-hidden />}
            c="var(--bad)"
            onClick={() =>
              askToConfirm({
                title: `Delete #${channel.name}?`,
                text: 'Its messages are deleted, too. A channel that a webhook posts to cannot be deleted.',
                action: 'Delete channel',
                onConfirm: () => remove.mutate(),
              })
            }
          >
            Delete
          </Menu.Item>
        )}
      </MoreMenu>
    </>
  )
}
