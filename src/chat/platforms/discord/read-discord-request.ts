import { createPublicKey, verify as verifySignature } from 'node:crypto'
import { z } from 'zod'
import { problem } from '../../../http/problems.ts'
import { parseJson } from '../../../platform/json/parse-json.ts'
import { agentMention } from '../../chat.ts'
import { readChoice } from '../../messages/read-choice.ts'
import type { Connection } from '../connection.ts'
import type { InboundEvent, InboundRequest, Received } from '../platform.ts'
import { personShape } from './read-discord-content.ts'
import { senderOf } from './read-discord-message.ts'
import { channelShape, type Place, placeOf } from './read-place.ts'

const toleranceSeconds = 300
const ping = 1
const command = 2
const component = 3

const interactionShape = z.looseObject({
  id: z.string(),
  type: z.number(),
  token: z.string().default(''),
  channel_id: z.string().optional(),
  channel: channelShape.omit({ id: true }).optional().catch(undefined),
  member: z.looseObject({ user: personShape }).optional(),
  user: personShape.optional(),
  message: z.looseObject({ id: z.string() }).optional(),
  data: z
    .looseObject({
      name: z.string().optional(),
      custom_id: z.string().optional(),
      options: z.array(z.looseObject({ name: z.string(), value: z.unknown() })).optional(),
    })
    .optional(),
})
type Interaction = z.output<typeof interactionShape>

/** Discord signs every interaction with the application's key, over the time and the raw bytes. */
export async function readDiscordRequest(connection: Connection, request: InboundRequest): Promise<Received> {
  verify(connection, request)
  const interaction = interactionShape.safeParse(parseJson(request.body)).data
  if (!interaction || interaction.type === ping) return { answer: { type: ping } }
  // 6 acknowledges the click and leaves the message as it is for now.
  if (interaction.type === component) return { answer: { type: 6 }, events: readClick(interaction) }
  if (interaction.type === command) return readCommand(interaction)
  throw unknownInteraction()
}

const unknownInteraction = () => problem('invalid-request', 'Bellhop does not know this interaction.')

function verify({ settings }: Connection, { body, headers, now }: InboundRequest): void {
  const signature = headers.get('x-signature-ed25519') ?? ''
  const timestamp = headers.get('x-signature-timestamp') ?? ''
  const isRecent =
    /^\d{1,13}$/.test(timestamp) && Math.abs(now.getTime() / 1000 - Number(timestamp)) <= toleranceSeconds
  const isSigned =
    isRecent &&
    /^[0-9a-f]{128}$/i.test(signature) &&
    verifySignature(
      null,
      Buffer.concat([Buffer.from(timestamp), body]),
      publicKeyOf(settings.publicKey ?? ''),
      Buffer.from(signature, 'hex'),
    )
  if (!isSigned)
    throw problem('chat-signature-invalid', 'The request is not signed by Discord, or it is too old.')
}

function publicKeyOf(hex: string) {
  if (!/^[0-9a-f]{64}$/i.test(hex))
    throw problem('chat-signature-invalid', 'The workspace has no public key.')
  const x = Buffer.from(hex, 'hex').toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

/** `/bellhop text:…`. The answer to the command shows the question in the channel. */
function readCommand(interaction: Interaction): Received {
  const asked = interaction.data?.options?.find(({ name }) => name === 'text')?.value
  const person = personOf(interaction)
  if (typeof asked !== 'string' || !person || !interaction.channel_id) throw unknownInteraction()
  const place = placeOf({ ...interaction.channel, id: interaction.channel_id })
  return {
    answer: { type: 4, data: { content: quote(asked), allowed_mentions: { parse: [] } } },
    events: [
      {
        kind: 'message',
        key: `interaction:${interaction.id}`,
        externalId: `interaction:${interaction.id}`,
        sender: senderOf(person),
        channel: channelOf(interaction, place),
        thread: place.thread,
        text: `${agentMention} ${asked}`,
        addressed: true,
      },
    ],
  }
}

function readClick(interaction: Interaction): InboundEvent[] {
  const [decision, approvalId] = interaction.data?.custom_id?.split(':') ?? []
  const choice = readChoice(decision, approvalId)
  const person = personOf(interaction)
  if (!person || !interaction.channel_id || !choice) return []
  return [
    {
      kind: 'click',
      key: `interaction:${interaction.id}`,
      ...choice,
      sender: senderOf(person),
      // A card in a thread belongs to the thread's channel.
      channel: channelOf(interaction, placeOf({ ...interaction.channel, id: interaction.channel_id })),
      thread: null,
      token: interaction.token,
    },
  ]
}

function personOf({ member, user }: Interaction) {
  return member?.user ?? user
}

/** An interaction says neither whether the channel is private nor the name of its server. */
function channelOf({ member }: Interaction, { channel, isPrivate }: Place): InboundEvent['channel'] {
  const kind = member ? 'channel' : 'direct'
  return { externalId: channel, name: null, kind, isPrivate: isPrivate ?? 'unless-known' }
}

function quote(asked: string): string {
  return `> ${asked.replaceAll(/\s+/g, ' ').slice(0, 1800).toWellFormed()}`
}
