import { VisuallyHidden } from '@mantine/core'
import { IconBellOff } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { memo, useState } from 'react'
import type { Channel } from '../../../contract.ts'
import { shownCount } from '../use-unread.ts'
import classes from './channel-list.module.css'

type Props = {
  channels: Channel[]
  chosenId: string | null
  /** With a pointer: whoever opens a channel with a key stays in the list. */
  onClick: (channelId: string) => void
}
type Section = { name: string | null; channels: Channel[] }

/** What is unread first, then what the reader has starred, then all others by workspace. */
export function ChannelList({ channels, chosenId, onClick }: Props) {
  // A channel that is opened in the list, and thereby read, does not move away from under the pointer.
  const [opened, setOpened] = useState({ id: chosenId, wasUnread: false })
  const chosen = channels.find(({ id }) => id === chosenId)
  if (chosenId !== opened.id && (chosen || chosenId === null))
    setOpened({ id: chosenId, wasUnread: opened.id !== null && (chosen?.counted ?? 0) > 0 })
  const isUnread = ({ id, counted }: Channel) => (id === opened.id ? opened.wasUnread : counted > 0)
  return (
    <nav aria-label="Channels">
      {sectionsOf(channels, isUnread).map(({ name, channels: shown }) => (
        <div key={name} className={classes.group}>
          {name && <div className={classes.workspace}>{name}</div>}
          {shown
            .toSorted((a, b) => a.name.localeCompare(b.name))
            .map((channel) => (
              <ChannelLink
                key={channel.id}
                channel={channel}
                isChosen={channel.id === chosenId}
                onClick={onClick}
              />
            ))}
        </div>
      ))}
    </nav>
  )
}

function sectionsOf(channels: Channel[], isUnread: (channel: Channel) => boolean): Section[] {
  const unread = channels.filter(isUnread)
  const starred = channels.filter((channel) => channel.starred && !isUnread(channel))
  const others = channels.filter((channel) => !channel.starred && !isUnread(channel))
  const workspaces = [...new Set(channels.map(({ workspaceName }) => workspaceName))]
  const isDivided = unread.length + starred.length > 0
  return [
    { name: 'Unread', channels: unread },
    { name: 'Starred', channels: starred },
    ...workspaces.map((workspace) => ({
      name: workspaces.length > 1 ? workspace : isDivided ? 'All others' : null,
      channels: others.filter(({ workspaceName }) => workspaceName === workspace),
    })),
  ].filter((section) => section.channels.length > 0)
}

type LinkProps = Pick<Props, 'onClick'> & { channel: Channel; isChosen: boolean }

const ChannelLink = memo(function ChannelLink({ channel, isChosen, onClick }: LinkProps) {
  const unread = isChosen ? 0 : channel.counted
  const isMuted = channel.notify === 'muted'
  return (
    <Link
      to={`/channels/${channel.id}`}
      className={classes.channel}
      onClick={({ detail }) => detail > 0 && onClick(channel.id)}
      data-unread={unread > 0 || undefined}
      data-muted={isMuted || undefined}
      title={channel.name}
    >
      <span className={classes.name}># {channel.name}</span>
      {isMuted && (
        <>
          <IconBellOff size="0.875rem" stroke={1.6} aria-hidden />
          <VisuallyHidden component="span"> muted</VisuallyHidden>
        </>
      )}
      {channel.unconfirmed && <span className={classes.note}>unconfirmed</span>}
      {unread > 0 && (
        <span className={classes.count} data-mentions={channel.mentions > 0 || undefined}>
          {shownCount(unread)}
          <VisuallyHidden component="span">
            {` unread${channel.mentions > 0 ? `, ${shownCount(channel.mentions)} mentioning you` : ''}`}
          </VisuallyHidden>
        </span>
      )}
    </Link>
  )
})
