import { z } from 'zod'
import type { Connection } from '../connection.ts'
import { isRefusal, unlessRefused } from '../platform-error.ts'
import { callDiscord } from './call-discord.ts'

/** Discord's channel types. */
const dm = 1
const voice = 2
const groupDm = 3
const announcementThread = 10
const publicThread = 11
const privateThread = 12
const stage = 13
const viewChannel = 1n << 10n
const cacheMs = 60 * 60_000

export const channelShape = z.looseObject({
  id: z.string(),
  type: z.number().optional(),
  name: z.string().nullish(),
  guild_id: z.string().optional(),
  parent_id: z.string().nullish(),
  last_message_id: z.string().nullish(),
  permission_overwrites: z.array(z.looseObject({ id: z.string(), deny: z.string().default('0') })).optional(),
})
const guildShape = z.looseObject({ name: z.string() })
const rolesShape = z.array(
  z.looseObject({ id: z.string(), tags: z.looseObject({ bot_id: z.string().optional() }).optional() }),
)
type DiscordChannel = z.output<typeof channelShape>

/** The place that a channel id stands for. To Discord, a thread is a channel too. */
export type Place = {
  channel: string
  /** The thread, identified by the message it started from. */
  thread: string | null
  kind: 'channel' | 'direct'
  name: string | null
  guild: string | null
  isPrivate: boolean | undefined
  /** Threads are impossible here: answers reply to messages instead. */
  isFlat: boolean
}

export async function readPlace(connection: Connection, id: string): Promise<Place> {
  return connection.cache.getOrFetch(`channel ${id}`, cacheMs, async () => {
    try {
      const place = placeOf(channelShape.parse(await callDiscord(connection, 'GET', `channels/${id}`)))
      return { ...place, name: await nameInServer(connection, place) }
    } catch (error) {
      if (!isRefusal(error)) throw error
      // We receive its messages but may not read the channel itself, so we treat it as an ordinary one.
      return placeOf({ id })
    }
  })
}

/** The server's name and the channel's, so that a channel has the same name everywhere. */
async function nameInServer(connection: Connection, { name, guild }: Place): Promise<string | null> {
  if (name === null || guild === null) return name
  const server = await connection.cache.getOrFetch(`server ${guild}`, cacheMs, async () => {
    const answer = await unlessRefused(callDiscord(connection, 'GET', `guilds/${guild}`))
    return guildShape.safeParse(answer).data?.name ?? null
  })
  return server === null ? null : `${server} / ${name}`
}

/** Discord gives a bot a role with the same name in each server; people mention either. */
export async function listOwnRoles(connection: Connection, guild: string): Promise<string[]> {
  return connection.cache.getOrFetch(`roles ${guild}`, cacheMs, async () => {
    const answer = await unlessRefused(callDiscord(connection, 'GET', `guilds/${guild}/roles`))
    const { botUserId } = connection.settings
    return rolesShape
      .parse(answer ?? [])
      .filter(({ tags }) => tags?.bot_id === botUserId)
      .map(({ id }) => id)
  })
}

export function placeOf(channel: DiscordChannel): Place {
  const { id, type, name = null, guild_id: guild = null, parent_id: parent } = channel
  const shared = { channel: id, thread: null, kind: 'channel' as const, name, guild, isFlat: false }
  switch (type) {
    case dm:
    case groupDm:
      return { ...shared, kind: 'direct', isPrivate: true, isFlat: true }
    case privateThread:
      // Not everybody in the channel can see it, so it counts as a channel of its own.
      return { ...shared, isPrivate: true, isFlat: true }
    case publicThread:
    case announcementThread:
      return { ...shared, channel: parent ?? id, thread: id, name: null, isPrivate: undefined }
    case voice:
    case stage:
      return { ...shared, isPrivate: isPrivate(channel), isFlat: true }
    default:
      return { ...shared, isPrivate: isPrivate(channel) }
  }
}

/** The id of the @everyone role is that of the server. */
export function isPrivate({
  guild_id: guild,
  permission_overwrites: rules,
}: DiscordChannel): boolean | undefined {
  if (!rules || !guild) return undefined
  return rules.some(
    ({ id, deny }) => id === guild && /^\d+$/.test(deny) && (BigInt(deny) & viewChannel) !== 0n,
  )
}
