import { callRest } from '../call-rest.ts'
import { apiUrl, type Connection, credential } from '../connection.ts'

/** The REST API, version 4. */
export async function callMattermost(
  connection: Connection,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: unknown,
  form?: FormData,
): Promise<unknown> {
  // First: a workspace without an address has no token either.
  const token = credential(connection, 'botToken')
  return callRest(connection, {
    platform: 'Mattermost',
    credential: 'bot token',
    method,
    url: new URL(`api/v4/${path}`, serverUrl(connection)),
    headers: { authorization: `Bearer ${token}` },
    body,
    ...(form ? { form } : {}),
  })
}

/** The server's address, which may include a path. */
export function serverUrl(connection: Connection): string {
  return apiUrl(connection, '')
}
