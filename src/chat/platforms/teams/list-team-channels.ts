import { z } from 'zod'
import type { Connection } from '../connection.ts'
import type { PlatformChannel } from '../platform.ts'
import { PlatformError } from '../platform-error.ts'
import { callTeams } from './call-teams.ts'

const cacheMs = 10 * 60_000

const teamShape = z.looseObject({ name: z.string().optional().catch(undefined) })
const listShape = z.looseObject({
  conversations: z
    .array(z.looseObject({ id: z.string(), name: z.string().nullish() }))
    .default([])
    .catch([]),
})

/** The channels of a team that the app is in. Messages in a channel come without its name. */
export async function listTeamChannels(connection: Connection, teamId: string): Promise<PlatformChannel[]> {
  try {
    return await connection.cache.getOrFetch(`channels ${teamId}`, cacheMs, async () => {
      const path = `v3/teams/${encodeURIComponent(teamId)}`
      const { name: team } = teamShape.parse(await callTeams(connection, 'GET', path))
      const { conversations } = listShape.parse(await callTeams(connection, 'GET', `${path}/conversations`))
      // The first channel of a team has no name in this list.
      return conversations.map(({ id, name }) => ({ externalId: id, name: nameIn(team, name ?? 'General') }))
    })
  } catch (error) {
    // Names are optional.
    if (error instanceof PlatformError) return []
    throw error
  }
}

export function nameIn(team: string | undefined, channel: string): string {
  return team ? `${team} / ${channel}` : channel
}
