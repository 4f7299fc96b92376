import { z } from 'zod'
import type { Connection } from '../connection.ts'
import type { InboundEvent } from '../platform.ts'
import { unlessRefused } from '../platform-error.ts'
import { callDiscord } from './call-discord.ts'
import { messageShape, readDiscordMessage } from './read-discord-message.ts'
import { channelShape } from './read-place.ts'

const guilds = z.array(z.looseObject({ id: z.string() }))
const places = z.array(channelShape)
const activeThreads = z.looseObject({ threads: places.default([]) })
const page = z.array(messageShape)

const discordEpochMs = 1_420_070_400_000
/** Discord's clock may differ from ours, and a message may have been in transit. */
const overlapMs = 60_000
const longestGapMs = 24 * 60 * 60_000
const pageSize = 100
const maxPages = 10

/**
 * What was said since then, oldest first in each place: Discord drops a session after minutes, and with it the events it would
 * have sent. Only places with newer messages are read. Messages that are already stored are recognised by id.
 */
export async function fetchMissed(
  connection: Connection,
  since: Date,
  direct: readonly string[],
  keep: (events: InboundEvent[]) => Promise<void>,
): Promise<void> {
  const from = firstIdAt(Math.max(since.getTime() - overlapMs, Date.now() - longestGapMs))
  for (const place of [...(await listChanged(connection, from)), ...direct]) {
    let after = from
    for (let n = 0; n < maxPages; n++) {
      const path = `channels/${place}/messages?limit=${pageSize}&after=${after}`
      const messages = page
        .parse((await unlessRefused(callDiscord(connection, 'GET', path))) ?? [])
        .toSorted((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
      const events: InboundEvent[] = []
      for (const message of messages) {
        const event = await readDiscordMessage(connection, message)
        if (event) events.push(event)
      }
      if (events.length > 0) await keep(events)
      if (messages.length < pageSize) break
      after = BigInt(messages.at(-1)?.id ?? after)
    }
  }
}

async function listChanged(connection: Connection, from: bigint): Promise<string[]> {
  const changed: string[] = []
  for (const { id } of guilds.parse(await callDiscord(connection, 'GET', 'users/@me/guilds'))) {
    const channels = places.parse(
      (await unlessRefused(callDiscord(connection, 'GET', `guilds/${id}/channels`))) ?? [],
    )
    const { threads } = activeThreads.parse(
      (await unlessRefused(callDiscord(connection, 'GET', `guilds/${id}/threads/active`))) ?? {},
    )
    for (const { id: place, last_message_id: last } of [...channels, ...threads]) {
      if (last && /^\d+$/.test(last) && BigInt(last) >= from) changed.push(place)
    }
  }
  return changed
}

/** Discord's ids begin with the time. */
function firstIdAt(time: number): bigint {
  return BigInt(Math.max(0, time - discordEpochMs)) << 22n
}
