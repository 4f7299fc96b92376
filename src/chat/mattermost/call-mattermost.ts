import { z } from 'zod'
import { type Connection, credential } from '../connection.ts'
import { PlatformError } from '../platform-error.ts'

const errorShape = z.looseObject({ id: z.string().default(''), message: z.string().default('') })

export class MattermostRefusal extends PlatformError {
  readonly status: number

  constructor(message: string, status: number) {
    super('refused', message)
    this.status = status
  }
}

/** One call of the REST API, version 4, and its answer in our words. */
export async function callMattermost(
  connection: Connection,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: unknown,
): Promise<unknown> {
  const response = await connection.fetch(new URL(`api/v4/${path}`, serverUrl(connection)), {
    method,
    headers: {
      authorization: `Bearer ${credential(connection, 'botToken')}`,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer: unknown = await response.json().catch(() => null)
  if (response.ok && answer !== null) return answer
  if (response.ok) throw new PlatformError('uncertain', 'Mattermost gave no usable answer.')
  if (response.status === 401) throw new PlatformError('revoked', 'Mattermost does not accept the bot token.')
  const why = errorShape.safeParse(answer).data
  throw new MattermostRefusal(`Mattermost refused it: ${why?.message || response.status}`, response.status)
}

/** The server's address, which may have a path of its own. */
export function serverUrl({ settings }: Connection): string {
  return (settings.apiUrl ?? '').replace(/\/*$/, '/')
}
