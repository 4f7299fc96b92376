import { z } from 'zod'
import type { Connection } from '../connection.ts'
import type { ThreadPage, ThreadQuestion } from '../platform.ts'
import { unlessRefused } from '../platform-error.ts'
import { callDiscord } from './call-discord.ts'
import { readSpoken, spokenShape } from './read-discord-content.ts'

const page = z.array(spokenShape)

/** Written by somebody: a message, a reply, or the answer to a command. The others are Discord's own. */
const written = new Set([0, 19, 20, 23])
const pageSize = 100

/** The messages of the thread, and the one that it started from, which is in the channel. */
export async function readDiscordThread(
  connection: Connection,
  { channel, thread, after, before, limit }: ThreadQuestion,
): Promise<ThreadPage> {
  const isAsker = /^\d+$/.test(before)
  const path = `channels/${thread}/messages?limit=${pageSize}${isAsker ? `&before=${before}` : ''}`
  const newestFirst = page.parse(await callDiscord(connection, 'GET', path))
  const starter =
    after === null
      ? spokenShape.safeParse(
          await unlessRefused(callDiscord(connection, 'GET', `channels/${channel}/messages/${thread}`)),
        ).data
      : undefined
  const others = newestFirst
    .filter(({ id, type }) => written.has(type) && id !== thread && (!after || BigInt(id) > BigInt(after)))
    .toReversed()
  const kept = others.slice(1 - limit)
  return {
    messages: [...(starter ? [starter] : []), ...kept].map((spoken) => readSpoken(connection, spoken)),
    leftOut: others.length - kept.length,
    until: isAsker ? before : (newestFirst[0]?.id ?? after),
  }
}
