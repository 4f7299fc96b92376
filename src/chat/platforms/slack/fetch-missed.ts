import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { SessionHost } from '../../delivery/sockets/run-session.ts'
import type { Connection } from '../connection.ts'
import type { InboundEvent } from '../platform.ts'
import { PlatformError, unlessRefused } from '../platform-error.ts'
import { callSlack } from './call-slack.ts'
import { messageEvent, readSlackMessage } from './read-slack-event.ts'

/** Slack's clock may differ from ours, and a message may have been in transit. */
const overlapMs = 60_000
const longestGapMs = 24 * 60 * 60_000
const pageSize = 200
const maxPages = 10

const places = z.looseObject({
  channels: z
    .array(
      z.looseObject({
        id: z.string(),
        is_private: z.boolean().default(false),
        is_ext_shared: z.boolean().default(false),
      }),
    )
    .default([]),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional(),
})
const history = z.looseObject({
  messages: z.array(z.looseObject({ ts: z.string(), latest_reply: z.string().optional() })).default([]),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional(),
})

type Place = { id: string; type: 'channel' | 'group' | 'im'; isShared: boolean }

/**
 * What was said since then in the channels that the app is in, in direct conversations, and in threads that it takes part in or that
 * began meanwhile. Slack keeps nothing for an app that is not connected. Messages that are already stored are recognised by id.
 */
export async function fetchMissed(
  connection: Connection,
  host: Pick<SessionHost, 'listDirect' | 'listThreads'>,
  since: Date,
  keep: (events: InboundEvent[]) => Promise<void>,
): Promise<void> {
  const oldest = String(Math.max(since.getTime() - overlapMs, Date.now() - longestGapMs) / 1000)
  const known = new Map<string, Place>()
  for (const place of await listPlaces(connection, host)) known.set(place.id, place)
  const threads = new Map<string, { place: Place; thread: string }>()
  const follow = (place: Place, thread: string) => threads.set(`${place.id} ${thread}`, { place, thread })
  for (const { channel, thread } of await host.listThreads()) {
    const place = known.get(channel)
    if (place && /^\d+\.\d+$/.test(thread)) follow(place, thread)
  }
  for (const place of known.values()) {
    const messages = await read(connection, 'conversations.history', { channel: place.id, oldest })
    for (const { ts, latest_reply: latest } of messages) if (latest && latest > oldest) follow(place, ts)
    await keepPeoples(place, messages)
  }
  for (const { place, thread } of threads.values()) {
    await keepPeoples(
      place,
      await read(connection, 'conversations.replies', { channel: place.id, ts: thread, oldest }),
    )
  }

  async function keepPeoples(
    { id, type, isShared }: Place,
    messages: readonly { ts: string }[],
  ): Promise<void> {
    const events = messages
      .filter(({ ts }) => ts > oldest)
      .toSorted((a, b) => (a.ts < b.ts ? -1 : 1))
      .flatMap((message) => {
        const event = messageEvent.safeParse({
          ...message,
          type: 'message',
          channel: id,
          channel_type: type,
        }).data
        return (event && readSlackMessage(connection, event, isShared)) ?? []
      })
    if (events.length > 0) await keep(events)
  }
}

async function listPlaces(connection: Connection, host: Pick<SessionHost, 'listDirect'>): Promise<Place[]> {
  const found: Place[] = (await host.listDirect()).map((id) => ({ id, type: 'im', isShared: false }))
  let cursor: string | undefined
  for (let n = 0; n < maxPages; n++) {
    const asked = { types: 'public_channel,private_channel', exclude_archived: true, limit: pageSize, cursor }
    const page = places.parse(await call(connection, 'users.conversations', asked))
    for (const { id, is_private: isPrivate, is_ext_shared: isShared } of page.channels)
      found.push({ id, type: isPrivate ? 'group' : 'channel', isShared })
    cursor = page.response_metadata?.next_cursor || undefined
    if (!cursor) break
  }
  return found
}

/** Nothing if we may not read it. */
async function read(connection: Connection, method: string, asked: Record<string, unknown>) {
  const messages: z.output<typeof history>['messages'] = []
  let cursor: string | undefined
  for (let n = 0; n < maxPages; n++) {
    const answer = await unlessRefused(call(connection, method, { ...asked, limit: pageSize, cursor }))
    const page = history.parse(answer ?? {})
    messages.push(...page.messages)
    cursor = page.response_metadata?.next_cursor || undefined
    if (!cursor) break
  }
  return messages
}

/** With many channels Slack makes us wait: then the rest is read later, instead of all of it again. */
async function call(
  connection: Connection,
  method: string,
  asked: Record<string, unknown>,
): Promise<unknown> {
  for (;;) {
    try {
      return await callSlack(connection, method, asked)
    } catch (error) {
      if (!(error instanceof PlatformError) || error.kind !== 'rate-limited') throw error
      await pause(error.retryAfterMs ?? 1000)
    }
  }
}
