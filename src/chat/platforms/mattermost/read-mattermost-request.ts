import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { z } from 'zod'
import { problem } from '../../../http/problems.ts'
import { parseJson } from '../../../platform/json/parse-json.ts'
import { readChoice } from '../../messages/read-choice.ts'
import type { Connection } from '../connection.ts'
import type { InboundRequest, Received } from '../platform.ts'
import { callMattermost } from './call-mattermost.ts'
import { isSignedChoice } from './sign-choice.ts'

const toleranceMs = 300_000
/** Anybody can send this, and it must be parsed before the sender is verified. */
const longestClick = 64 * 1024
const keyMs = 10 * 60_000

const clickShape = z.looseObject({
  user_id: z.string(),
  user_name: z.string().default(''),
  channel_id: z.string(),
  post_id: z.string(),
  trigger_id: z.string(),
  context: z.looseObject({ token: z.string(), decision: z.string(), proof: z.string() }),
})
const configShape = z.looseObject({ AsymmetricSigningPublicKey: z.string().default('') })

/**
 * A click on a button. Mattermost does not sign the request, only parts of it: we signed the context ourselves, and the server
 * signed the trigger over the person and the time. Both must be valid.
 */
export async function readMattermostRequest(
  connection: Connection,
  { body, now }: InboundRequest,
): Promise<Received> {
  if (body.length > longestClick) throw notSigned()
  const click = clickShape.safeParse(parseJson(body)).data
  const trigger = click && readTrigger(click.trigger_id)
  const isRecent = trigger && Math.abs(now.getTime() - trigger.at) <= toleranceMs
  if (!click || !trigger || !isRecent || trigger.userId !== click.user_id) throw notSigned()
  const choice = readChoice(click.context.decision, click.context.token)
  if (!choice || !isSignedChoice(connection, choice, click.context.proof)) throw notSigned()
  const key = await findKey(connection)
  if (!verify('sha256', Buffer.from(trigger.signed), key, trigger.signature)) throw notSigned()
  return {
    answer: {},
    events: [
      {
        kind: 'click',
        key: `click:${trigger.id}`,
        ...choice,
        sender: { id: click.user_id, name: click.user_name || null },
        channel: { externalId: click.channel_id, name: null, kind: 'channel' },
        thread: null,
      },
    ],
  }
}

const notSigned = () =>
  problem('chat-signature-invalid', 'The request does not come from Mattermost, or it is too old.')

/** Base64 of `id:person:milliseconds:signature`; the signature, again in base64, covers everything before it. */
function readTrigger(text: string) {
  const match = Buffer.from(text, 'base64')
    .toString('utf8')
    .match(/^((\w+):(\w+):(\d{1,16}):)([A-Za-z0-9+/=]+)$/)
  if (!match) return null
  const [, signed = '', id = '', userId = '', at = '', signature = ''] = match
  return { signed, id, userId, at: Number(at), signature: Buffer.from(signature, 'base64') }
}

async function findKey(connection: Connection): Promise<KeyObject> {
  return connection.cache.getOrFetch('signing key', keyMs, async () => {
    const { AsymmetricSigningPublicKey: key } = configShape.parse(
      await callMattermost(connection, 'GET', 'config/client?format=old'),
    )
    if (key === '') throw problem('chat-signature-invalid', 'The Mattermost server has no signing key.')
    return createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
  })
}
