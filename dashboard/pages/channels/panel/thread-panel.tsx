import { useEffect, useRef } from 'react'
import type { Message } from '../../../contract.ts'
import { itemsOf, useOne } from '../../../hooks/use-api.ts'
import { useFilter } from '../../../hooks/use-filter.ts'
import { QueryView } from '../../../ui/feedback/query-view.tsx'
import { useMe } from '../../accounts/use-me.ts'
import { ComeBackLine } from '../come-back-line.tsx'
import { Composer } from '../composer/composer.tsx'
import { isContinued } from '../messages/group-messages.ts'
import { isOwn } from '../messages/is-own.ts'
import { LiveLine } from '../messages/live-line.tsx'
import { MessageView } from '../messages/message-view.tsx'
import { OlderMessages } from '../messages/scroll/older-messages.tsx'
import { isAtEnd, useScrollAnchor } from '../messages/scroll/use-scroll-anchor.ts'
import type { Activity } from '../messages/use-live-channel.ts'
import { useMessages } from '../messages/use-messages.ts'
import classes from './thread-panel.module.css'
import { ThreadSummary } from './thread-summary.tsx'

type Props = {
  channelId: string
  threadId: string
  platform: string
  activity: Activity[string] | null
  /** Somebody opened it to write in it. */
  autoFocus: boolean
}

/** The conversation under one message. */
export function ThreadPanel({ channelId, threadId, platform, activity, autoFocus }: Props) {
  const me = useMe()
  const root = useOne<Message>(`/messages/${threadId}`)
  const thread = useMessages(channelId, { threadId })
  const [marked] = useFilter('message')
  const box = useRef<HTMLElement>(null)
  const atEnd = useRef(true)
  const target = useRef<HTMLDivElement>(null)
  const all = itemsOf(thread).toReversed()
  const replies = all.filter((message) => message.id !== threadId)
  const newest = replies.at(-1)?.id
  const sought = replies.some(({ id }) => id === marked)

  useScrollAnchor(box, all)

  // biome-ignore lint/correctness/useExhaustiveDependencies: exactly when something new is there
  useEffect(() => {
    if (atEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [newest, root.isPending])

  useEffect(() => {
    if (sought) target.current?.scrollIntoView({ block: 'center' })
  }, [sought])

  return (
    <>
      <section
        className={classes.messages}
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label="Thread messages"
        onScroll={({ currentTarget }) => {
          atEnd.current = isAtEnd(currentTarget)
        }}
      >
        <QueryView query={root} rows={2}>
          {(message) => <MessageView message={message} />}
        </QueryView>
        {replies.length > 0 && (
          <div className={classes.summary}>
            <ThreadSummary replies={replies} isPart={thread.hasNextPage} />
          </div>
        )}
        <OlderMessages query={thread} />
        <QueryView query={thread} rows={2}>
          {() =>
            replies.map((message, at) => (
              <div key={message.id} ref={message.id === marked ? target : null}>
                <MessageView
                  message={message}
                  marked={message.id === marked}
                  anchor
                  continued={isContinued(message, replies[at - 1], [])}
                />
              </div>
            ))
          }
        </QueryView>
      </section>
      <div className={classes.doing}>{activity && <LiveLine activity={activity} />}</div>
      <ComeBackLine threadId={threadId} />
      <Composer
        channelId={channelId}
        threadId={threadId}
        platform={platform}
        autoFocus={autoFocus}
        lastOwnId={replies.findLast((message) => isOwn(message, me.id))?.id ?? null}
      />
    </>
  )
}
