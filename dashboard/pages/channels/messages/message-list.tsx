import { UnstyledButton } from '@mantine/core'
import { useCallbackRef } from '@mantine/hooks'
import { IconArrowDown } from '@tabler/icons-react'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { Fragment, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { call, type Paged } from '../../../api.ts'
import type { Channel, Message } from '../../../contract.ts'
import { itemsOf, useOne } from '../../../hooks/use-api.ts'
import { useFilter } from '../../../hooks/use-filter.ts'
import { Empty } from '../../../ui/feedback/empty.tsx'
import { ErrorAlert } from '../../../ui/feedback/error-alert.tsx'
import { Loading } from '../../../ui/feedback/loading.tsx'
import { dayOf, isContinued } from './group-messages.ts'
import classes from './message-list.module.css'
import { MessageView } from './message-view.tsx'
import { OlderMessages } from './scroll/older-messages.tsx'
import { useAnnouncedMessage } from './scroll/use-announced-message.ts'
import { useKeptPlace } from './scroll/use-kept-place.ts'
import { useNewMessages } from './scroll/use-new-messages.ts'
import { isAtEnd, useScrollAnchor } from './scroll/use-scroll-anchor.ts'
import type { Activity } from './use-live-channel.ts'

type Props = {
  channel: Channel | undefined
  /** The channel is as the server knows it now, with the number of unread messages. */
  isCurrent: boolean
  query: UseInfiniteQueryResult<InfiniteData<Paged<Message>>>
  /** Search results, shown without threads. */
  flat: boolean
  /** What is going on right now in the thread of a message. */
  activityOf: (messageId: string) => Activity[string] | null
  onThread: (threadId: string) => void
}

/** Oldest at the top. Opens at what is new, or else at the end; the reading position does not move when something arrives. */
export function MessageList({ channel, isCurrent, query, flat, activityOf, onThread }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const [isAway, setIsAway] = useState(false)
  const [marked] = useFilter('message')
  const all = itemsOf(query).toReversed()
  const newest = all.at(-1)?.id
  useAnnouncedMessage(flat ? undefined : all.at(-1))
  const channelId = channel?.id
  useScrollAnchor(box, all)
  const hold = useKeptPlace(box, atEnd)
  const open = useCallbackRef(({ id, threadId }: Message) => {
    hold(id)
    onThread(threadId ?? id)
  })

  const shown = flat ? all : all.filter((message) => message.threadId === null || !has(all, message.threadId))
  const opened = useNewMessages(
    channel && isCurrent && query.data && !flat ? channel : null,
    query,
    all,
    shown,
  )
  const isOpened = opened !== null
  const firstNew = flat ? null : (opened?.first ?? null)

  // First scroll to the linked message or to what is new, once; after that follow new messages if the reader is at the end.
  const ledTo = useRef<string | undefined>(undefined)
  const ledToNew = useRef<string | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: exactly when something new is there
  useLayoutEffect(() => {
    const element = box.current
    if (!element || query.isPending) return
    if (marked && ledTo.current !== marked) {
      ledTo.current = marked
      const root = all.find(({ id }) => id === marked)?.threadId ?? marked
      document.getElementById(root)?.scrollIntoView({ block: 'center' })
      atEnd.current = isAtEnd(element)
    } else if (firstNew && !marked && ledToNew.current !== firstNew && atEnd.current) {
      ledToNew.current = firstNew
      document.getElementById('new-messages')?.scrollIntoView({ block: 'start' })
      atEnd.current = isAtEnd(element)
    } else if (atEnd.current) element.scrollTop = element.scrollHeight
    // Not in this commit: while many messages arrive at once, each would cause another one.
    const frame = requestAnimationFrame(() => setIsAway(!isAtEnd(element)))
    return () => cancelAnimationFrame(frame)
  }, [newest, marked, query.isPending, firstNew])

  useEffect(() => {
    if (channelId && newest && isOpened) {
      // If this fails, a channel's name stays bold in a list, nothing more.
      void call<void>('PUT', `/channels/${channelId}/read`, {}).catch(() => undefined)
    }
  }, [channelId, newest, isOpened])

  return (
    <div className={classes.place}>
      <section
        className={classes.list}
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={flat ? 'Search results' : 'Conversation'}
        onScroll={({ currentTarget: it }) => {
          atEnd.current = isAtEnd(it)
          setIsAway(!atEnd.current)
        }}
      >
        <div>
          {query.isPending && <Loading rows={4} />}
          {query.error && !query.data && (
            <ErrorAlert error={query.error} retry={() => void query.refetch()} />
          )}
          <OlderMessages query={query} />
          {marked && query.data && !has(all, marked) && !flat && (
            <MarkedMessage id={marked} onThread={onThread} />
          )}
          {query.data && all.length === 0 && (
            <Empty
              purpose={
                flat ? 'No matching messages' : `This is the start of #${channel?.name ?? 'the channel'}`
              }
              {...(flat
                ? {}
                : { example: 'Write “@bellhop what can you do?” to get a reply from the agent.' })}
            />
          )}
          {shown.map((message, at) => {
            const before = shown[at - 1]
            const isNew = message.id === firstNew
            const day = dayOf(message)
            const isNewDay = before === undefined || dayOf(before) !== day
            return (
              <Fragment key={message.id}>
                {isNewDay && <div className={classes.day}>{day}</div>}
                {isNew && (
                  <div className={classes.new} id="new-messages">
                    {opened && opened.count >= 100 ? '99+' : opened?.count} new
                  </div>
                )}
                <MessageView
                  message={message}
                  replies={flat ? [] : all.filter(({ threadId }) => threadId === message.id)}
                  marked={message.id === marked}
                  anchor
                  continued={!isNew && !isNewDay && !flat && isContinued(message, before, all)}
                  activity={activityOf(message.id)}
                  onThread={open}
                />
              </Fragment>
            )
          })}
        </div>
      </section>
      {isAway && !flat && (
        <UnstyledButton
          className={classes.jump}
          onClick={() => {
            atEnd.current = true
            box.current?.scrollTo({ top: box.current.scrollHeight })
          }}
        >
          <IconArrowDown size="0.875rem" aria-hidden />
          Jump to latest
        </UnstyledButton>
      )}
    </div>
  )
}

/** A link may point further back than what is loaded: the message is then shown above the rest. */
function MarkedMessage({ id, onThread }: { id: string; onThread: (threadId: string) => void }) {
  const message = useOne<Message>(`/messages/${id}`)
  // A message in a thread is shown in the thread.
  if (!message.data || message.data.threadId !== null) return null
  return <MessageView message={message.data} marked anchor onThread={() => onThread(id)} />
}

function has(all: Message[], id: string): boolean {
  return all.some((message) => message.id === id)
}
