import { z } from 'zod'
import type { PlatformChannel } from '../platform.ts'
import { channelShape, isPrivate } from './read-place.ts'

export const guildShape = z.looseObject({
  id: z.string(),
  name: z.string(),
  channels: z.array(channelShape).default([]),
})

/** The channels of a server in which people write. 0 is a text channel, 5 one for announcements. */
export function textChannels({ id, name: server, channels }: z.output<typeof guildShape>): PlatformChannel[] {
  return channels
    .filter(({ type }) => type === 0 || type === 5)
    .map((channel) => ({
      externalId: channel.id,
      name: `${server} / ${channel.name ?? channel.id}`,
      isPrivate: isPrivate({ ...channel, guild_id: id }) ?? false,
    }))
}
