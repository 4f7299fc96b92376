import { z } from 'zod'
import type { Connection } from '../connection.ts'
import { callMattermost } from './call-mattermost.ts'

const teams = z.array(z.looseObject({ id: z.string(), display_name: z.string() }))
const channels = z.array(
  z.looseObject({
    id: z.string(),
    /** O is open, P private, D direct, G a group conversation. */
    type: z.string(),
    team_id: z.string().default(''),
    display_name: z.string().default(''),
    delete_at: z.number().default(0),
    last_post_at: z.number().default(0),
  }),
)

type MattermostChannel = { id: string; type: string; name: string; lastPostAt: Date }

/** Every channel the bot is in, including direct conversations. */
export async function listMattermostChannels(connection: Connection): Promise<MattermostChannel[]> {
  const known = teams.parse(await callMattermost(connection, 'GET', 'users/me/teams'))
  const all = channels.parse(await callMattermost(connection, 'GET', 'users/me/channels'))
  return all
    .filter(({ delete_at: deleted }) => deleted === 0)
    .map(({ id, type, team_id: team, display_name: name, last_post_at: last }) => {
      const teamName = known.length > 1 ? known.find((one) => one.id === team)?.display_name : undefined
      return { id, type, name: teamName ? `${teamName} / ${name}` : name, lastPostAt: new Date(last) }
    })
}
