import { notifyManager, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { withQuery } from '../../../api.ts'
import type { Message, StreamEvents } from '../../../contract.ts'
import { openStream } from '../../../open-stream.ts'
import { useMe } from '../../accounts/use-me.ts'
import { useLastSeq, usePutMessage } from './use-messages.ts'

/** What is going on right now, by thread; the empty key is the channel itself. */
export type Activity = Record<
  string,
  { note: string; since: number; until: number /** The run that works. */; runId: string | null }
>

const typingMs = 6000
const workingMs = 120_000
/** Nobody notices, and a burst is one rendering. */
const togetherMs = 20

/**
 * Receives messages live, from the last one that was loaded on. The browser reconnects by itself; missed messages are then loaded
 * again.
 */
export function useLiveChannel(channelId: string, isLoaded: boolean): Activity {
  const put = usePutMessage(channelId)
  const lastSeq = useLastSeq(channelId)
  const queries = useQueryClient()
  const me = useMe()
  const [activity, setActivity] = useState<Activity>({})

  // biome-ignore lint/correctness/useExhaustiveDependencies: `put` and `lastSeq` only wrap the query client, which never changes
  useEffect(() => {
    if (!isLoaded) return
    const note = (threadId: string | null, words: string | null, ms: number, runId: string | null = null) =>
      setActivity(({ [threadId ?? '']: before, ...others }) => {
        if (words === null) return others
        const now = Date.now()
        const since = before?.note === words ? before.since : now
        return { ...others, [threadId ?? '']: { note: words, since, until: now + ms, runId } }
      })
    // Many may arrive at once, after a pause of the connection: React gives up on a page that is rendered for each.
    let received: { message: Message; isNew: boolean }[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const showReceived = () => {
      const messages = received
      received = []
      timer = undefined
      notifyManager.batch(() => {
        for (const { message, isNew } of messages) {
          put(message, isNew)
          if (isNew && message.author.kind === 'agent') note(message.threadId, null, 0)
        }
      })
    }
    const receive = (message: Message, isNew: boolean) => {
      received.push({ message, isNew })
      timer ??= setTimeout(showReceived, togetherMs)
    }
    const events: { [Name in keyof StreamEvents]: (body: StreamEvents[Name]) => void } = {
      'message.created': (message) => receive(message, true),
      'message.updated': (message) => receive(message, false),
      'agent.working': ({ threadId, note: words, runId }) =>
        note(threadId, words === null ? null : `Bellhop is ${words}`, workingMs, runId),
      'user.typing': ({ threadId, name }) => {
        if (name !== me.name) note(threadId, `${name} is typing…`, typingMs)
      },
    }
    const close = openStream(() => withQuery(`/channels/${channelId}/stream`, { after: lastSeq() }), {
      // Each event name has the body that the server's contract gives it.
      events: events as Record<string, (body: unknown) => void>,
      // What is being read is not begun anew: older messages that somebody asked for would be lost.
      onReturn: () =>
        void queries.invalidateQueries(
          { queryKey: [`/channels/${channelId}/messages`] },
          { cancelRefetch: false },
        ),
    })
    const sweep = setInterval(() => {
      const now = Date.now()
      setActivity((all) => {
        const current = Object.entries(all).filter(([, { until }]) => until > now)
        return current.length === Object.keys(all).length ? all : Object.fromEntries(current)
      })
    }, 1000)
    return () => {
      close()
      clearTimeout(timer)
      showReceived()
      clearInterval(sweep)
      setActivity({})
    }
  }, [channelId, isLoaded, queries, me.name])
  return activity
}
