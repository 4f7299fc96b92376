import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { apiUrl, type Connection, credential } from '../connection.ts'
import { PlatformError } from '../platform-error.ts'

const defaultApiUrl = 'https://api.telegram.org/'

const answerShape = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  description: z.string().default(''),
})

/** Calls a method of the Bot API and turns failures into `PlatformError`. */
export async function callTelegram(
  connection: Connection,
  method: string,
  body: Record<string, unknown>,
): Promise<unknown> {
  const url = `${apiUrl(connection, defaultApiUrl)}bot${credential(connection, 'botToken')}/${method}`
  const response = await connection.fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = answerShape.safeParse(await response.json().catch(() => null)).data
  if (!answer) throw new PlatformError('uncertain', `Telegram sent no valid response to ${method}.`)
  if (answer.ok) return answer.result
  if (response.status === 401 || response.status === 404) {
    throw new PlatformError('revoked', 'Telegram does not accept the bot token.')
  }
  throw new PlatformError('refused', `Telegram refused ${method}: ${answer.description}`)
}

/** Telegram sends it with every update. It is derived from the token, so it need not be stored. */
export function webhookSecret(connection: Connection): string {
  return createHmac('sha256', credential(connection, 'botToken'))
    .update('bellhop webhook')
    .digest('base64url')
}
