import { z } from 'zod'
import { type Connection, credential } from '../connection.ts'
import { PlatformError } from '../platform-error.ts'

const defaultApiUrl = 'https://discord.com/api/v10/'
/** Discord's number for a channel, or a thread, that does not exist. */
export const unknownChannel = 10003
const errorShape = z.looseObject({ code: z.number().optional(), message: z.string().default('') })

export class DiscordRefusal extends PlatformError {
  /** Discord's own number for what is wrong. */
  readonly code: number | undefined

  constructor(message: string, code: number | undefined) {
    super('refused', message)
    this.code = code
  }
}

/** One call of the REST API, and its answer in our words. */
export async function callDiscord(
  connection: Connection,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: unknown,
): Promise<unknown> {
  const base = (connection.settings.apiUrl ?? defaultApiUrl).replace(/\/*$/, '/')
  const response = await connection.fetch(new URL(path, base), {
    method,
    headers: {
      authorization: `Bot ${credential(connection, 'botToken')}`,
      'content-type': 'application/json',
      // Discord turns away who does not say so.
      'user-agent': `DiscordBot (${connection.publicUrl}, 1)`,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer: unknown = response.status === 204 ? {} : await response.json().catch(() => null)
  if (response.ok && answer !== null) return answer
  if (response.ok) throw new PlatformError('uncertain', 'Discord gave no usable answer.')
  if (response.status === 401) throw new PlatformError('revoked', 'Discord does not accept the bot token.')
  const why = errorShape.safeParse(answer).data
  throw new DiscordRefusal(`Discord refused it: ${why?.message || response.status}`, why?.code)
}

/** Where we may not read there is nothing for us. */
export async function unlessRefused(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call
  } catch (error) {
    if (error instanceof DiscordRefusal) return null
    throw error
  }
}
