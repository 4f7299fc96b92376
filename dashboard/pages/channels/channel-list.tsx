import { VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Channel } from '../../contract.ts'
import classes from './channel-list.module.css'

/** Grouped by workspace; what is unread stands out. */
export function ChannelList({ channels, chosenId }: { channels: Channel[]; chosenId: string | null }) {
  const workspaces = [...new Set(channels.map(({ workspaceName }) => workspaceName))]
  return (
    <nav aria-label="Channels">
      {workspaces.map((workspace) => (
        <div key={workspace} className={classes.group}>
          {workspaces.length > 1 && <div className={classes.workspace}>{workspace}</div>}
          {channels
            .filter(({ workspaceName }) => workspaceName === workspace)
            .toSorted((a, b) => a.name.localeCompare(b.name))
            .map((channel) => {
              const unread = channel.id === chosenId ? 0 : channel.unread
              return (
                <Link
                  key={channel.id}
                  to={`/channels/${channel.id}`}
                  className={classes.channel}
                  data-unread={unread > 0 || undefined}
                >
                  <span className={classes.name}># {channel.name}</span>
                  {channel.unconfirmed && <span className={classes.note}>unconfirmed</span>}
                  {unread > 0 && (
                    <span className={classes.count}>
                      {unread >= 100 ? '99+' : unread}
                      <VisuallyHidden component="span"> unread</VisuallyHidden>
                    </span>
                  )}
                </Link>
              )
            })}
        </div>
      ))}
    </nav>
  )
}
