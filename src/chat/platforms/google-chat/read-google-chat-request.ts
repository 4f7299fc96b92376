import { z } from 'zod'
import { parseJson } from '../../../platform/json/parse-json.ts'
import { agentMention } from '../../chat.ts'
import { readChoice } from '../../messages/read-choice.ts'
import { nameFiles } from '../../text/name-files.ts'
import type { Connection } from '../connection.ts'
import type { InboundEvent, InboundRequest, Received } from '../platform.ts'
import { rootOfThread } from './google-chat-platform.ts'
import { verifyGoogleToken } from './verify-google-token.ts'

const person = z.looseObject({
  name: z.string(),
  displayName: z.string().optional(),
  type: z.string().optional(),
})
const spaceShape = z.looseObject({
  name: z.string(),
  displayName: z.string().optional(),
  type: z.string().optional(),
  spaceType: z.string().optional(),
})
const messageShape = z.looseObject({
  name: z.string(),
  text: z.string().default(''),
  argumentText: z.string().optional(),
  thread: z.looseObject({ name: z.string() }).optional(),
  attachment: z
    .array(z.looseObject({ contentName: z.string().nullish() }))
    .default([])
    .catch([]),
})
/** The format for a standalone Chat app. */
const ownShape = z.looseObject({
  type: z.string(),
  eventTime: z.string().default(''),
  user: person.optional(),
  space: spaceShape,
  message: messageShape.optional(),
  action: z
    .looseObject({ parameters: z.array(z.looseObject({ key: z.string(), value: z.string() })).default([]) })
    .optional(),
})
/** The format for an add-on, which is how Google creates apps today. */
const payload = z.looseObject({ space: spaceShape, message: messageShape.optional() }).optional()
const addOnShape = z.looseObject({
  chat: z.looseObject({
    user: person.optional(),
    eventTime: z.string().default(''),
    addedToSpacePayload: payload,
    messagePayload: payload,
    buttonClickedPayload: payload,
  }),
  commonEventObject: z
    .looseObject({ parameters: z.record(z.string(), z.string()).default({}) })
    .optional()
    .catch(undefined),
})
/** Both formats in one shape. `pressed` is what the button was created with. */
type ChatEvent = {
  type: string
  eventTime: string
  user: z.output<typeof person> | undefined
  space: z.output<typeof spaceShape>
  message: z.output<typeof messageShape> | undefined
  pressed: Record<string, string>
}

/** Verified by the token that Google signs for this project, valid for minutes. */
export async function readGoogleChatRequest(
  connection: Connection,
  request: InboundRequest,
): Promise<Received> {
  await verifyGoogleToken(connection, request)
  const event = readEvent(parseJson(request.body))
  return { answer: {}, ...(event && readChatEvent(event)) }
}

function readChatEvent(event: ChatEvent): Received {
  const { name, displayName } = event.space
  switch (event.type) {
    case 'ADDED_TO_SPACE':
      return {
        channels: displayName ? [{ externalId: name, name: displayName }] : [],
        // A mention may be what added us.
        events: readMessage(event),
      }
    case 'MESSAGE':
      return { events: readMessage(event) }
    case 'CARD_CLICKED':
      return { events: readClick(event) }
    default:
      return {}
  }
}

function readEvent(body: unknown): ChatEvent | null {
  const own = ownShape.safeParse(body).data
  if (own) {
    const parameters = own.action?.parameters ?? []
    return {
      ...own,
      user: own.user,
      message: own.message,
      pressed: Object.fromEntries(parameters.map(({ key, value }) => [key, value])),
    }
  }
  const { chat, commonEventObject } = addOnShape.safeParse(body).data ?? {}
  if (!chat) return null
  const shared = { eventTime: chat.eventTime, user: chat.user, pressed: commonEventObject?.parameters ?? {} }
  const { addedToSpacePayload: added, messagePayload: said, buttonClickedPayload: clicked } = chat
  if (added) return { ...shared, type: 'ADDED_TO_SPACE', space: added.space, message: added.message }
  if (said) return { ...shared, type: 'MESSAGE', space: said.space, message: said.message }
  if (clicked) return { ...shared, type: 'CARD_CLICKED', space: clicked.space, message: clicked.message }
  return null
}

/** Google sends only what is addressed to us: direct messages and mentions. */
function readMessage({ message, user, space }: ChatEvent): InboundEvent[] {
  if (!message || !user || user.type === 'BOT') return []
  const channel = channelOf(space)
  const root = message.thread ? rootOfThread(message.thread.name) : null
  const said = nameFiles(
    (message.argumentText ?? message.text).trim(),
    message.attachment.map(({ contentName }) => contentName),
  )
  return [
    {
      kind: 'message',
      key: `message:${message.name}`,
      externalId: message.name,
      sender: { id: user.name, name: user.displayName ?? null },
      channel,
      thread: root === message.name ? null : root,
      text: channel.kind === 'direct' ? said : `${agentMention} ${said}`,
      addressed: true,
    },
  ]
}

function readClick({ message, user, space, pressed, eventTime }: ChatEvent): InboundEvent[] {
  const choice = readChoice(pressed.decision, pressed.approvalId)
  if (!message || !user || !choice) return []
  return [
    {
      kind: 'click',
      key: `click:${message.name}:${user.name}:${eventTime}`,
      ...choice,
      sender: { id: user.name, name: user.displayName ?? null },
      channel: channelOf(space),
      thread: null,
    },
  ]
}

function channelOf({ name, displayName, type, spaceType }: ChatEvent['space']) {
  const isDirect = type === 'DM' || spaceType === 'DIRECT_MESSAGE'
  const kind: 'direct' | 'channel' = isDirect ? 'direct' : 'channel'
  return { externalId: name, name: displayName || null, kind }
}
