import { callRest } from '../call-rest.ts'
import { apiUrl, type Connection, credential } from '../connection.ts'

export const defaultApiUrl = 'https://discord.com/api/v10/'

export async function callDiscord(
  connection: Connection,
  method: 'GET' | 'POST' | 'PATCH' | 'PUT',
  path: string,
  body?: unknown,
  form?: FormData,
): Promise<unknown> {
  return callRest(connection, {
    platform: 'Discord',
    credential: 'bot token',
    method,
    url: new URL(path, apiUrl(connection, defaultApiUrl)),
    headers: {
      authorization: `Bot ${credential(connection, 'botToken')}`,
      // Discord refuses clients without such a user agent.
      'user-agent': `DiscordBot (${connection.publicUrl}, 1)`,
    },
    body,
    ...(form ? { form } : {}),
  })
}
