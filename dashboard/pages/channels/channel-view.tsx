import { Text } from '@mantine/core'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Channel, Message } from '../../contract.ts'
import { itemsOf, useOne } from '../../hooks/use-api.ts'
import { useFilter } from '../../hooks/use-filter.ts'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { SearchField } from '../../ui/table/search-field.tsx'
import { useMe } from '../accounts/use-me.ts'
import classes from './channel-view.module.css'
import { Composer } from './composer/composer.tsx'
import { EditingContext } from './messages/editing.ts'
import { isOwn } from './messages/is-own.ts'
import { LiveLine } from './messages/live-line.tsx'
import { MessageList } from './messages/message-list.tsx'
import { useLiveChannel } from './messages/use-live-channel.ts'
import { useMessages } from './messages/use-messages.ts'
import { AboutChannel } from './panel/about-channel.tsx'
import { SidePanel } from './panel/side-panel.tsx'
import { ThreadPanel } from './panel/thread-panel.tsx'
import { NamesContext, useReadNames } from './use-names.ts'

type Props = { channelId: string; channel: Channel | undefined; isCurrent: boolean; autoFocus: boolean }

export function ChannelView({ channelId, channel, isCurrent, autoFocus }: Props) {
  const [threadId, leadToThread] = useFilter('thread')
  const [, openThread] = useFilter('thread', 'push')
  const [marked] = useFilter('message')
  const linked = useOne<Message>(marked ? `/messages/${marked}` : null)
  const threadOfMarked = linked.data?.threadId
  const [about, setAbout] = useFilter('about', 'push')
  const showsAbout = about !== undefined && channel !== undefined
  const [q, setQ] = useFilter('q')
  const me = useMe()
  const [edited, setEdited] = useState<string | null>(null)
  const platform = channel?.platform ?? 'built-in'
  const editing = useMemo(
    () => ({ messageId: edited, edit: setEdited, isBuiltIn: platform === 'built-in' }),
    [edited, platform],
  )
  const names = useReadNames(channel?.workspace)
  const messages = useMessages(channelId)
  const activity = useLiveChannel(channelId, messages.isSuccess)
  const lastOwn = itemsOf(messages).find((message) => message.threadId === null && isOwn(message, me.id))
  const found = useMessages(channelId, { q: q ?? '' }, q !== undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when a link leads here; the thread may be closed then
  useEffect(() => {
    if (threadOfMarked) leadToThread(threadOfMarked)
  }, [threadOfMarked])
  // What opened the thread, which gets the focus back once it is closed.
  const opener = useRef<Element | null>(null)
  useEffect(() => {
    if (threadId) return
    if (opener.current instanceof HTMLElement) opener.current.focus()
    opener.current = null
  }, [threadId])
  return (
    <EditingContext value={editing}>
      <NamesContext value={names}>
        <section
          className={classes.view}
          data-beside={threadId !== undefined || showsAbout || undefined}
          aria-label="Messages"
        >
          <div className={classes.search}>
            <SearchField label="Search this channel" value={q} onChange={setQ} />
          </div>
          {linked.error && (
            <div className={classes.search}>
              <ErrorAlert error={linked.error} />
            </div>
          )}
          {channel?.unconfirmed && (
            <Text className={classes.doing} size="xs">
              Unconfirmed: anyone can add the bot to a group and name the group as they like. Nobody Bellhop
              knows has written to it here, and no webhook posts here. Make sure the group is yours before you
              use it.
            </Text>
          )}
          <MessageList
            channel={channel}
            isCurrent={isCurrent}
            query={q === undefined ? messages : found}
            flat={q !== undefined}
            activityOf={(id) => (id === threadId ? null : (activity[id] ?? null))}
            onThread={(id) => {
              if (showsAbout) setAbout(null)
              opener.current = document.activeElement
              openThread(id)
            }}
          />
          <div className={classes.doing}>{activity[''] && <LiveLine activity={activity['']} />}</div>
          <Composer
            channelId={channelId}
            threadId={null}
            platform={platform}
            autoFocus={autoFocus}
            lastOwnId={lastOwn?.id ?? null}
          />
        </section>
        {(threadId !== undefined || showsAbout) && (
          <SidePanel
            tab={showsAbout ? 'about' : 'thread'}
            onTab={threadId === undefined ? null : (tab) => setAbout(tab === 'about' ? '1' : null)}
            onClose={() => {
              if (showsAbout) setAbout(null)
              else leadToThread(null)
            }}
          >
            {showsAbout && channel ? (
              <AboutChannel channel={channel} />
            ) : (
              threadId !== undefined && (
                // A new panel for each thread, so that a draft in one does not carry over to the next.
                <ThreadPanel
                  key={threadId}
                  channelId={channelId}
                  threadId={threadId}
                  platform={platform}
                  activity={activity[threadId] ?? null}
                  // On a touch screen it would open the keyboard over what is to be read.
                  autoFocus={opener.current !== null && matchMedia('(pointer: fine)').matches}
                />
              )
            )}
          </SidePanel>
        )}
      </NamesContext>
    </EditingContext>
  )
}
