import { z } from 'zod'
import { nameFiles } from '../../text/name-files.ts'
import type { Connection } from '../connection.ts'
import type { AttachedFile, InboundEvent } from '../platform.ts'
import {
  attachmentsShape,
  nameOf,
  type Person,
  personShape,
  readSpoken,
  spokenShape,
  writeNames,
} from './read-discord-content.ts'
import { listOwnRoles, type Place, readPlace } from './read-place.ts'

const defaultMessage = 0
const reply = 19

/** The same from the gateway and from the history. */
export const messageShape = z.looseObject({
  id: z.string(),
  channel_id: z.string(),
  type: z.number().default(defaultMessage),
  content: z.string().default(''),
  author: personShape,
  webhook_id: z.string().optional(),
  attachments: attachmentsShape,
  /** What it forwards, if it is a forward: then it has no words of its own. */
  message_snapshots: z
    .array(z.looseObject({ message: z.looseObject({ content: z.string(), attachments: attachmentsShape }) }))
    .default([])
    .catch([]),
  mentions: z.array(personShape).default([]),
  mention_roles: z.array(z.string()).default([]),
  referenced_message: spokenShape.nullish().catch(null),
})
type DiscordMessage = z.output<typeof messageShape>

/** Null for our own messages and Discord's, those without words or files, and what bots say in threads. */
export async function readDiscordMessage(
  connection: Connection,
  message: DiscordMessage,
): Promise<InboundEvent | null> {
  const { id, author: sender, content } = message
  const botId = connection.settings.botUserId ?? ''
  if (sender.id === botId || (message.type !== defaultMessage && message.type !== reply)) return null
  const place = await readPlace(connection, message.channel_id)
  if (sender.bot || message.webhook_id) return readAppMessage(connection, message, place)
  const roles = await mentionedAs(connection, message, place)
  const text = textOf(message, botId, roles)
  if (text === '') return null
  const attached = attachmentsOf(message)
  const isMentioned =
    roles.length > 0 || message.mentions.some((one) => one.id === botId) || content.includes(`<@${botId}>`)
  return {
    kind: 'message',
    key: `message:${id}`,
    externalId: id,
    sender: senderOf(sender),
    channel: {
      externalId: place.channel,
      name: place.name,
      kind: place.kind,
      isPrivate: place.isPrivate,
    },
    thread: threadOf(message, place, botId),
    ...(place.isFlat ? { order: place.channel } : {}),
    text,
    addressed: place.kind === 'direct' || isMentioned,
    ...(attached.length > 0 ? { files: attached.map(readFile) } : {}),
    ...(answersOther(message, place, botId)
      ? { repliesTo: readSpoken(connection, message.referenced_message) }
      : {}),
  }
}

function readFile({ filename, size, url }: DiscordMessage['attachments'][number]): AttachedFile {
  return { name: filename || 'a file', sizeBytes: size ?? null, reference: { id: null, url: url ?? null } }
}

/** Only watched channels read it. Alerts are in embeds. */
function readAppMessage(connection: Connection, message: DiscordMessage, place: Place): InboundEvent | null {
  const spoken = spokenShape.safeParse(message).data
  if (!spoken || place.thread !== null || place.kind === 'direct' || message.type !== defaultMessage)
    return null
  const { text } = readSpoken(connection, spoken)
  if (text === '') return null
  return {
    kind: 'message',
    key: `message:${message.id}`,
    externalId: message.id,
    sender: senderOf(message.author),
    channel: { externalId: place.channel, name: place.name, kind: place.kind, isPrivate: place.isPrivate },
    thread: null,
    ...(place.isFlat ? { order: place.channel } : {}),
    text,
    addressed: false,
    isApp: true,
  }
}

/** Also those of a message that it forwards. */
function attachmentsOf(message: DiscordMessage): DiscordMessage['attachments'] {
  const forwarded = message.message_snapshots.map((snapshot) => snapshot.message)
  return [message, ...forwarded].flatMap(({ attachments }) => attachments)
}

function textOf(message: DiscordMessage, botId: string, roles: string[]): string {
  const forwarded = message.message_snapshots.map((snapshot) => snapshot.message)
  const files = attachmentsOf(message)
  const words = [
    writeNames(message, botId, roles),
    ...forwarded.map(({ content }) => `[Forwarded]\n${content}`),
  ]
  return nameFiles(
    words.filter(Boolean).join('\n\n'),
    files.map(({ filename }) => filename),
    'Attached',
  )
}

/** A reply to one of our messages continues its thread. */
function threadOf(
  { referenced_message: answered }: DiscordMessage,
  place: Place,
  botId: string,
): string | null {
  if (place.thread !== null) return place.thread
  return answered?.author.id === botId ? answered.id : null
}

/** Outside a thread, a mention may answer somebody: that message is what it is about. */
function answersOther(
  message: DiscordMessage,
  place: Place,
  botId: string,
): message is DiscordMessage & { referenced_message: NonNullable<DiscordMessage['referenced_message']> } {
  return (
    place.thread === null &&
    message.referenced_message != null &&
    message.referenced_message.author.id !== botId
  )
}

/** Our own roles that the message mentions. */
async function mentionedAs(
  connection: Connection,
  { mention_roles: called }: DiscordMessage,
  { guild }: Place,
): Promise<string[]> {
  if (called.length === 0 || guild === null) return []
  const own = await listOwnRoles(connection, guild)
  return called.filter((role) => own.includes(role))
}

export function senderOf(person: Person): { id: string; name: string | null } {
  return { id: person.id, name: nameOf(person) }
}
