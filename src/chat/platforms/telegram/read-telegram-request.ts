import { applyTelegramEntities } from '@chat-adapter/telegram'
import { z } from 'zod'
import { problem } from '../../../http/problems.ts'
import { sameSecret } from '../../../platform/crypto/same-secret.ts'
import { parseJson } from '../../../platform/json/parse-json.ts'
import { agentMention } from '../../chat.ts'
import { readChoice } from '../../messages/read-choice.ts'
import { nameFiles } from '../../text/name-files.ts'
import type { Connection } from '../connection.ts'
import type { InboundEvent, InboundRequest, Received } from '../platform.ts'
import type { ThreadMessage } from '../thread-message.ts'
import { webhookSecret } from './call-telegram.ts'
import { writeAddress } from './telegram-platform.ts'

const chatShape = z.looseObject({ id: z.number(), type: z.string(), title: z.string().optional() })
const person = z.looseObject({
  id: z.number(),
  is_bot: z.boolean().default(false),
  first_name: z.string().default(''),
  last_name: z.string().optional(),
})
/** Where the text has marks; Telegram counts like JavaScript. */
const entitiesShape = z
  .array(
    z.looseObject({
      type: z.string(),
      offset: z.number(),
      length: z.number(),
      url: z.string().optional(),
      language: z.string().optional(),
    }),
  )
  .default([])
  .catch([])
const contentFields = {
  text: z.string().optional(),
  entities: entitiesShape,
  caption: z.string().optional(),
  caption_entities: entitiesShape,
  document: z.looseObject({ file_name: z.string().optional() }).optional(),
  photo: z.unknown().optional(),
  voice: z.unknown().optional(),
  video: z.unknown().optional(),
  audio: z.unknown().optional(),
}
const messageShape = z.looseObject({
  message_id: z.number(),
  from: person.optional(),
  chat: chatShape,
  ...contentFields,
  migrate_to_chat_id: z.number().optional(),
  is_topic_message: z.boolean().default(false),
  message_thread_id: z.number().optional(),
  reply_to_message: z
    .looseObject({
      message_id: z.number(),
      date: z.number().default(0),
      from: person.optional(),
      ...contentFields,
    })
    .optional(),
})
const queryShape = z.looseObject({
  id: z.string(),
  from: person,
  message: messageShape.optional(),
  data: z.string().optional(),
})
const updateShape = z.looseObject({
  update_id: z.number(),
  message: messageShape.optional(),
  callback_query: queryShape.optional(),
  my_chat_member: z
    .looseObject({ chat: chatShape, new_chat_member: z.looseObject({ status: z.string() }) })
    .optional(),
})
type TelegramMessage = z.output<typeof messageShape>
type Answered = NonNullable<TelegramMessage['reply_to_message']>

/** Telegram signs nothing; it repeats the secret that `setWebhook` gave it. */
export async function readTelegramRequest(
  connection: Connection,
  request: InboundRequest,
): Promise<Received> {
  const given = request.headers.get('x-telegram-bot-api-secret-token') ?? ''
  if (!sameSecret(webhookSecret(connection), given)) {
    throw problem(
      'chat-signature-invalid',
      'The request does not contain the secret that Telegram was given.',
    )
  }
  const update = updateShape.safeParse(parseJson(request.body)).data
  if (!update) return {}
  const { message, callback_query: query, my_chat_member: membership } = update
  if (membership && isIn(membership.new_chat_member.status) && membership.chat.title) {
    return { channels: [{ externalId: String(membership.chat.id), name: membership.chat.title }] }
  }
  if (message?.migrate_to_chat_id) {
    // A group that became a supergroup has a new id.
    return { moved: { from: String(message.chat.id), to: String(message.migrate_to_chat_id) } }
  }
  if (message) return { events: readMessage(connection, message) }
  return query ? { events: readClick(query) } : {}
}

function readMessage({ settings }: Connection, message: TelegramMessage): InboundEvent[] {
  const { from, chat, reply_to_message: answered } = message
  const files = filesOf(message)
  const text = textOf(message)
  if (!from || from.is_bot || (text === '' && files.length === 0)) return []
  const mention = new RegExp(`@${settings.botName}\\b`, 'gi')
  const isDirect = chat.type === 'private'
  const answersUs = String(answered?.from?.id) === settings.botId
  return [
    {
      kind: 'message',
      key: `message:${chat.id}:${message.message_id}`,
      externalId: String(message.message_id),
      sender: senderOf(from),
      channel: channelOf(message),
      thread: answered && !startsTopic(message) ? String(answered.message_id) : null,
      // Any message of the conversation can be replied to, so the order is that of the whole chat.
      order: String(chat.id),
      text: nameFiles(text.replaceAll(mention, agentMention), files),
      addressed: isDirect || answersUs || text.search(mention) >= 0,
      ...(answered && !answersUs && !startsTopic(message) ? { repliesTo: readAnswered(answered) } : {}),
    },
  ]
}

/** A bot cannot read it later. */
function readAnswered(answered: Answered): ThreadMessage {
  const { message_id: id, date, from } = answered
  return {
    externalId: String(id),
    author: {
      id: String(from?.id ?? ''),
      name: (from && senderOf(from).name) || 'unknown',
      kind: from?.is_bot ? 'app' : 'person',
    },
    text: nameFiles(textOf(answered), filesOf(answered)),
    at: new Date(date * 1000).toISOString(),
  }
}

/** Marks that cannot be inside each other: the client library would misplace those. */
const carried = new Set(['text_link', 'code', 'pre'])

/** A link's address is not in the text itself. */
function textOf({
  text,
  entities,
  caption = '',
  caption_entities: ofCaption,
}: Answered | TelegramMessage): string {
  const marks = text === undefined ? ofCaption : entities
  return applyTelegramEntities(
    text ?? caption,
    marks.filter(({ type }) => carried.has(type)),
  )
}

function filesOf({ document, ...media }: Answered | TelegramMessage): string[] {
  const kinds = (['photo', 'voice', 'video', 'audio'] as const).filter((kind) => media[kind] !== undefined)
  return [...(document ? [document.file_name ?? 'a file'] : []), ...kinds]
}

function readClick({ id, from, message, data = '' }: z.output<typeof queryShape>): InboundEvent[] {
  const [decision, approvalId] = data.split(':')
  const choice = readChoice(decision, approvalId)
  if (!choice || !message) return []
  return [
    {
      kind: 'click',
      key: `click:${id}`,
      ...choice,
      sender: senderOf(from),
      channel: channelOf(message),
      thread: null,
      token: id,
    },
  ]
}

/** In a topic, a message that replies to nothing still names the topic's first message as replied to. */
function startsTopic({
  is_topic_message: inTopic,
  message_thread_id: topic,
  reply_to_message: answered,
}: TelegramMessage) {
  return inTopic && answered?.message_id === topic
}

function channelOf({ chat, is_topic_message: inTopic, message_thread_id: topic }: TelegramMessage) {
  const kind: 'direct' | 'channel' = chat.type === 'private' ? 'direct' : 'channel'
  return { externalId: writeAddress(chat.id, inTopic ? topic : undefined), name: chat.title ?? null, kind }
}

function senderOf({ id, first_name: first, last_name: last }: z.output<typeof person>) {
  return { id: String(id), name: [first, last].filter(Boolean).join(' ') || null }
}

function isIn(status: string): boolean {
  return status === 'member' || status === 'administrator'
}
