import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { call, type Paged } from '../../api.ts'
import type { Channel, Message } from '../../contract.ts'
import { Empty } from '../../ui/empty.tsx'
import { ErrorAlert } from '../../ui/error-alert.tsx'
import { Loading } from '../../ui/loading.tsx'
import { itemsOf, useOne } from '../../use-api.ts'
import { useFilter } from '../../use-filter.ts'
import classes from './message-list.module.css'
import { MessageView } from './message-view.tsx'
import { OlderMessages } from './older-messages.tsx'
import { useAnnouncedMessage } from './use-announced-message.ts'
import { isAtEnd, useScrollAnchor } from './use-scroll-anchor.ts'

type Props = {
  channel: Channel | undefined
  query: UseInfiniteQueryResult<InfiniteData<Paged<Message>>>
  /** Search results, shown without threads. */
  flat: boolean
  /** What somebody is doing right now in the thread of a message. */
  noteOf: (messageId: string) => string | null
  onThread: (threadId: string) => void
}

/** Oldest at the top, scrolled to the newest; the reading position does not move when something arrives. */
export function MessageList({ channel, query, flat, noteOf, onThread }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const [marked] = useFilter('message')
  const all = itemsOf(query).toReversed()
  const newest = all.at(-1)?.id
  useAnnouncedMessage(flat ? undefined : all.at(-1))
  const channelId = channel?.id
  useScrollAnchor(box, all)

  // First scroll to the linked message, once; after that follow new messages if the reader is at the end.
  const ledTo = useRef<string | undefined>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: exactly when something new is there
  useLayoutEffect(() => {
    const element = box.current
    if (!element || query.isPending) return
    if (marked && ledTo.current !== marked) {
      ledTo.current = marked
      const root = all.find(({ id }) => id === marked)?.threadId ?? marked
      document.getElementById(root)?.scrollIntoView({ block: 'center' })
      atEnd.current = isAtEnd(element)
    } else if (atEnd.current) element.scrollTop = element.scrollHeight
  }, [newest, marked, query.isPending])

  useEffect(() => {
    if (channelId && newest) {
      // If this fails, a channel's name stays bold in a list, nothing more.
      void call<void>('PUT', `/channels/${channelId}/read`, {}).catch(() => undefined)
    }
  }, [channelId, newest])

  const shown = flat ? all : all.filter((message) => message.threadId === null || !has(all, message.threadId))
  return (
    <section
      className={classes.list}
      ref={box}
      aria-label={flat ? 'Search results' : 'Conversation'}
      onScroll={({ currentTarget: it }) => {
        atEnd.current = isAtEnd(it)
      }}
    >
      {query.isPending && <Loading rows={4} />}
      {query.error && !query.data && <ErrorAlert error={query.error} retry={() => void query.refetch()} />}
      <OlderMessages query={query} />
      {marked && query.data && !has(all, marked) && !flat && (
        <MarkedMessage id={marked} onThread={onThread} />
      )}
      {query.data && all.length === 0 && (
        <Empty
          purpose={flat ? 'No matching messages' : `This is the start of #${channel?.name ?? 'the channel'}`}
          {...(flat ? {} : { example: 'Write “@bellhop what can you do?” to get a reply from the agent.' })}
        />
      )}
      {shown.map((message) => (
        <MessageView
          key={message.id}
          message={message}
          replies={flat ? [] : all.filter(({ threadId }) => threadId === message.id)}
          marked={message.id === marked}
          anchor
          note={noteOf(message.id)}
          onThread={() => onThread(message.threadId ?? message.id)}
        />
      ))}
    </section>
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
