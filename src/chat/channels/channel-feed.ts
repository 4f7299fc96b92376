import type { Db } from '../../platform/db/database.ts'
import type { Notifications } from '../../platform/db/notifications.ts'
import type { Log } from '../../platform/log.ts'
import type { ChannelId, RunId } from '../../shared/ids.ts'
import { type Announcement, chatChanged, listChanges, type MessageRow } from '../store.ts'
import { findChannel } from './store.ts'

type Context = { db: Db; notifications: Notifications; log: Log }

/** What a follower receives. `message` has a number to resume after; the others are lost if missed. */
export type FeedEvent =
  | { kind: 'message'; row: MessageRow; created: boolean }
  | { kind: 'working'; threadId: string | null; note: string | null; runId?: RunId | undefined }
  | { kind: 'typing'; threadId: string | null; name: string }
  /** Sent before anything that not everybody may see any more: followers must be authorised again. */
  | { kind: 'closed' }

export type ChannelFeed = {
  /** `after` is the last number the follower has seen; null starts with the next change. Nothing is sent after `left`. */
  follow(
    channelId: ChannelId,
    after: number | null,
    onEvent: (event: FeedEvent) => void,
    left?: AbortSignal,
  ): Promise<() => void>
  /** Every change in any channel; null when something may have been missed. */
  followAll(onEvent: (announcement: Announcement | null) => void): () => void
}

type Follower = { seen: number; onEvent: (event: FeedEvent) => void }

type Topic = {
  followers: Set<Follower>
  position: number
  /** Joining and reading run one at a time, so that nobody misses or repeats a change. */
  turn: Promise<void>
  notes: Map<string | null, { note: string; since: number; runId?: RunId | undefined }>
}

const pageSize = 200
const longestNoteMs = 2 * 60_000

/** One per process: a change is read once, however many people follow the channel. */
export async function openChannelFeed(ctx: Context): Promise<ChannelFeed> {
  const topics = new Map<ChannelId, Topic>()
  const watchers = new Set<(announcement: Announcement | null) => void>()

  function emit(topic: Topic, event: FeedEvent): void {
    for (const follower of topic.followers) follower.onEvent(event)
  }

  function emitChange(follower: Follower, row: MessageRow): void {
    if (row.seq <= follower.seen) return
    follower.onEvent({ kind: 'message', row, created: row.createdSeq > follower.seen })
    follower.seen = row.seq
  }

  async function readNew(channelId: ChannelId, topic: Topic): Promise<void> {
    for (;;) {
      const rows = await listChanges(ctx.db, channelId, topic.position, pageSize)
      for (const row of rows) {
        for (const follower of topic.followers) emitChange(follower, row)
        topic.position = row.seq
      }
      if (rows.length < pageSize) return
    }
  }

  function enqueue(topic: Topic, work: () => Promise<void>): Promise<void> {
    const done = topic.turn.then(work)
    topic.turn = done.catch((error) => ctx.log.warn({ err: error }, 'chat.feed_failed'))
    return done
  }

  function onAnnouncement(payload: string | null): void {
    if (payload === null) {
      for (const [id, topic] of topics) void enqueue(topic, () => readNew(id, topic)).catch(() => undefined)
      for (const onEvent of watchers) onEvent(null)
      return
    }
    // Only our own store writes to this channel of the database.
    const announcement = JSON.parse(payload) as Announcement
    for (const onEvent of watchers) onEvent(announcement)
    const topic = topics.get(announcement.channelId)
    if (!topic) return
    const { working, typing, closed } = announcement
    if (closed) {
      emit(topic, { kind: 'closed' })
    } else if (working) {
      if (working.note === null) topic.notes.delete(working.threadId)
      else
        topic.notes.set(working.threadId, {
          note: working.note,
          runId: working.runId,
          since: performance.now(),
        })
      emit(topic, { kind: 'working', ...working })
    } else if (typing) {
      emit(topic, { kind: 'typing', ...typing })
    } else if (announcement.readBy === undefined) {
      void enqueue(topic, () => readNew(announcement.channelId, topic)).catch(() => undefined)
    }
  }

  await ctx.notifications.listen(chatChanged, onAnnouncement)

  return {
    async follow(channelId, after, onEvent, left) {
      const known = topics.get(channelId)
      const topic: Topic = known ?? {
        followers: new Set(),
        position: -1,
        turn: Promise.resolve(),
        notes: new Map(),
      }
      if (!known) topics.set(channelId, topic)
      // Added right away, so that the topic stays open when others leave; changes are sent once its turn has come.
      const follower: Follower = { seen: Number.POSITIVE_INFINITY, onEvent }
      topic.followers.add(follower)
      const addedAt = performance.now()
      const leave = () => {
        topic.followers.delete(follower)
        if (topic.followers.size === 0 && topics.get(channelId) === topic) topics.delete(channelId)
      }
      const joined = enqueue(topic, async () => {
        const { lastSeq } = (await findChannel(ctx.db, channelId)) ?? { lastSeq: 0 }
        if (topic.position < 0) topic.position = lastSeq
        follower.seen = Math.min(after ?? topic.position, lastSeq)
        for (let more = after !== null; more && !left?.aborted; ) {
          const rows = await listChanges(ctx.db, channelId, follower.seen, pageSize)
          for (const row of rows) emitChange(follower, row)
          more = rows.length === pageSize
        }
        for (const [threadId, { note, since, runId }] of topic.notes) {
          // Later ones were sent as they came. The author of an old one may have died without clearing it.
          if (since < addedAt && addedAt - since < longestNoteMs)
            onEvent({ kind: 'working', threadId, note, runId })
        }
      })
      await joined.catch((error: unknown) => {
        leave()
        throw error
      })
      return leave
    },
    followAll(onEvent) {
      watchers.add(onEvent)
      return () => void watchers.delete(onEvent)
    },
  }
}
