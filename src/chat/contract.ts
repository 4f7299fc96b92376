import { z } from 'zod'
import { reasonShape } from '../approvals/contract.ts'
import { connectorIdsShape } from '../shared/fields.ts'
import { idPattern } from '../shared/ids.ts'
import { readsAcrossValues } from '../shared/scope.ts'
import { fileIdShape, fileShape, mostFiles } from './files/contract.ts'
import { reactionShape } from './reactions/contract.ts'
import { thumbsShape } from './thumbs/contract.ts'
import { watchFields, watchShape } from './watches/contract.ts'

// ── channels ──

export const externalPlatforms = [
  'slack',
  'discord',
  'teams',
  'telegram',
  'google-chat',
  'mattermost',
] as const
export type ExternalPlatform = (typeof externalPlatforms)[number]
export const platforms = ['built-in', ...externalPlatforms] as const
export type PlatformName = (typeof platforms)[number]

export const channelIdShape = z
  .templateLiteral(['chan_', z.string()])
  .refine(matches('channel'), 'There is no such channel.')
export const messageIdShape = z
  .templateLiteral(['msg_', z.string()])
  .refine(matches('message'), 'There is no such message.')
export const workspaceIdShape = z
  .templateLiteral(['wsp_', z.string()])
  .refine(matches('workspace'), 'There is no such workspace.')

function matches(thing: 'channel' | 'message' | 'workspace') {
  const pattern = idPattern(thing)
  return (value: string) => pattern.test(value)
}

const channelName = z
  .string()
  .trim()
  .transform((name) => name.replace(/^#/, ''))
  .pipe(
    z
      .string()
      .min(1, 'A channel needs a name.')
      .max(80, 'A name has 80 characters at most.')
      .regex(
        /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u,
        'A name has letters, digits, spaces, dots, dashes and underscores.',
      ),
  )

/** The connectors that the agent may use in this channel. Null means every connector. */
const connectorIds = connectorIdsShape

/** Whether the agent reads a thread that others began, when it is mentioned there. */
const threadContext = z.enum(['all', 'off'])

/** `one`: once a run about an event has read from one connector, a call of another one asks an admin. For all webhooks that post here. */
const readsAcross = z.enum(readsAcrossValues)

export const newChannel = z.strictObject({
  name: channelName,
  connectorIds: connectorIds.default(null),
  readsAcross: readsAcross.default('all'),
})
export const channelPatch = z.strictObject({
  name: channelName.optional(),
  connectorIds: connectorIds.optional(),
  readsAcross: readsAcross.optional(),
  threadContext: threadContext.optional(),
  /** Null ends it. */
  watch: watchFields.nullish(),
})
export type ChannelPatch = z.output<typeof channelPatch>

/** `mentions`: mentions of the reader, and runs that failed; `muted`: nothing. */
const notifyLevel = z.enum(['all', 'mentions', 'muted'])
export type NotifyLevel = z.output<typeof notifyLevel>

export const channelShape = z.object({
  id: z.string(),
  /** The id of the workspace that the channel is in. */
  workspace: z.string(),
  workspaceName: z.string(),
  platform: z.enum(platforms),
  name: z.string(),
  kind: z.enum(['channel', 'direct']),
  /** Hidden from members: on its platform, only invited people can read it. */
  isPrivate: z.boolean(),
  externalId: z.string().nullable(),
  /** Anybody may have added the bot there and chosen the name: no webhook posts there yet, and no known person has used it there. */
  unconfirmed: z.boolean(),
  connectorIds: z.array(z.string()).nullable(),
  readsAcross,
  threadContext,
  /** Null if the channel is not watched, and for members. */
  watch: watchShape.nullable(),
  /** Messages of others since the reader's mark; 100 means 100 or more. */
  unread: z.int(),
  /** Those of them that count by the level that the reader has chosen. */
  counted: z.int(),
  /** Those that count and name the reader, in the built-in workspace. */
  mentions: z.int(),
  /** By the reader. */
  starred: z.boolean(),
  /** What counts as unread, as the reader has chosen. */
  notify: notifyLevel,
  lastMessageAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
})
export type Channel = z.output<typeof channelShape>

export const unreadShape = z.object({
  /** Channels with unread messages that count by the reader's levels. */
  channels: z.int(),
  /** Those in the built-in workspace that name the reader; 100 means 100 or more. */
  mentions: z.int(),
  /** The id of the latest of these messages. */
  latestMention: z.string().nullable(),
})
export type Unread = z.output<typeof unreadShape>

// ── messages ──

const cardShape = z.object({
  kind: z.literal('approval'),
  approvalId: z.string(),
  /** How often the request was edited. */
  edition: z.int().optional(),
  title: z.string(),
  lines: z.array(z.object({ label: z.string(), value: z.string() })),
  request: z.string(),
  headers: z.string().optional(),
  state: z.enum(['pending', 'approved', 'denied', 'expired', 'void']),
  decidedBy: z.string().optional(),
  outcome: z.string().optional(),
  confirm: z.boolean(),
})

export const messageShape = z.object({
  id: z.string(),
  channelId: z.string(),
  /** Null at the top level, else the id of the thread's first message. */
  threadId: z.string().nullable(),
  author: z.object({
    kind: z.enum(['agent', 'user', 'system']),
    id: z.string().nullable(),
    name: z.string(),
  }),
  /** Markdown. */
  text: z.string(),
  card: cardShape.nullable(),
  approvalId: z.string().nullable(),
  runId: z.string().nullable(),
  /** The event that it answers, as it was called then; null if no event started it. */
  origin: z
    .object({ source: z.string().nullable(), eventId: z.string(), title: z.string().nullable() })
    .nullable(),
  thumbs: thumbsShape,
  /** How people reacted, in the order of the first of each. Thumbs on a reply of the agent are in `thumbs`. */
  reactions: z.array(reactionShape),
  /** Whether it reached the chat platform; always `sent` in the built-in workspace. */
  delivery: z.enum(['sending', 'sent', 'ambiguous', 'failed']),
  permalink: z.string(),
  /** Numbers the changes in the channel; also the event id of the stream. */
  seq: z.int(),
  /** What is attached; GET /files/{id} has an image, and what was uploaded here. */
  files: z.array(fileShape),
  createdAt: z.iso.datetime(),
  editedAt: z.iso.datetime().nullable(),
  /** When its author deleted it; the text is gone then. */
  deletedAt: z.iso.datetime().nullable(),
})
export type Message = z.output<typeof messageShape>

const anyText = z.string().max(40_000, 'A message has 40,000 characters at most.')
const writtenText = anyText.refine((text) => text.trim() !== '', 'Write something.')

export const newMessage = z
  .strictObject({
    text: anyText.default(''),
    threadId: messageIdShape.nullish(),
    /** Uploaded before with POST /channels/{id}/files. */
    fileIds: z.array(fileIdShape).max(mostFiles, `Attach ${mostFiles} files at most.`).default([]),
  })
  .refine(({ text, fileIds }) => text.trim() !== '' || fileIds.length > 0, {
    path: ['text'],
    error: 'Write something, or attach a file.',
  })
export const messagePatch = z.strictObject({ text: writtenText })

export const readMark = z.strictObject({
  /** The last message that was seen; without it, everything is marked as read. */
  messageId: messageIdShape.optional(),
})

export const channelChoice = z
  .strictObject({ starred: z.boolean().optional(), notify: notifyLevel.optional() })
  .refine(({ starred, notify }) => (starred ?? notify) !== undefined, 'Send starred, notify or both.')
export type ChannelChoice = z.output<typeof channelChoice>

export const decisionBody = z.strictObject({
  decision: z.enum(['approve', 'deny']),
  reason: reasonShape.nullish(),
})

/** The events of GET /channels/{id}/stream, by name. */
export const streamEventShapes = {
  'message.created': messageShape,
  'message.updated': messageShape,
  /** What the agent is doing now; a null note means that it is done. */
  'agent.working': z.object({
    channelId: z.string(),
    threadId: z.string().nullable(),
    note: z.string().nullable(),
    runId: z.string().nullable(),
  }),
  'user.typing': z.object({ channelId: z.string(), threadId: z.string().nullable(), name: z.string() }),
}
export type StreamEvents = {
  [Name in keyof typeof streamEventShapes]: z.output<(typeof streamEventShapes)[Name]>
}
