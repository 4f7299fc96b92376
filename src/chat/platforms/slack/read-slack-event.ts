import { parseSlackWebhookBody, type SlackBlockActionsPayload } from '@chat-adapter/slack/webhook'
import { z } from 'zod'
import { agentMention } from '../../chat.ts'
import { readChoice } from '../../messages/read-choice.ts'
import { nameFiles } from '../../text/name-files.ts'
import type { Connection } from '../connection.ts'
import type { AttachedFile, InboundEvent, InboundMessage, Received } from '../platform.ts'
import { readMrkdwn } from './read-mrkdwn.ts'
import { readShortcut } from './read-slack-command.ts'
import { contentShape, readSlackContent } from './read-slack-content.ts'
import { actions, readThumb } from './render-blocks.ts'

export const messageEvent = z.looseObject({
  type: z.enum(['message', 'app_mention']),
  channel: z.string(),
  channel_type: z.string().optional(),
  ts: z.string(),
  thread_ts: z.string().optional(),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  subtype: z.string().optional(),
  /** The sender's team. */
  user_team: z.string().optional(),
  team: z.string().optional(),
  text: z.string().default(''),
  files: z
    .array(
      z.looseObject({
        id: z.string().nullish(),
        name: z.string().nullish(),
        size: z.int().nullish().catch(null),
        url_private: z.string().nullish(),
      }),
    )
    .default([])
    .catch([]),
})
type MessageEvent = z.output<typeof messageEvent>
const appContent = contentShape.extend({
  username: z.string().nullish(),
  bot_profile: z
    .looseObject({ name: z.string().nullish(), team_id: z.string().nullish() })
    .nullish()
    .catch(null),
})
const envelope = z.looseObject({
  type: z.literal('event_callback'),
  team_id: z.string().optional(),
  /** Whose app receives this; in a shared channel `team_id` may be that of another organisation. */
  authorizations: z
    .array(z.looseObject({ team_id: z.string().nullish() }))
    .optional()
    .catch(undefined),
  is_ext_shared_channel: z.boolean().optional(),
  event: z.looseObject({ type: z.string() }),
})
const revocation = z.looseObject({ tokens: z.looseObject({ bot: z.array(z.string()).default([]) }) })

/** Null if the app is installed for a whole organisation. */
const interaction = z.looseObject({
  type: z.string(),
  team: z.looseObject({ id: z.string() }).nullish(),
})

/** Subtypes of messages that people write. */
const writtenByPeople = new Set(['thread_broadcast', 'file_share', 'me_message'])
/** In Slack's API a group is a private channel and an mpim a conversation of several people. */
const privateTypes = new Set(['group', 'mpim'])

/** An event of the Events API, whichever way it came. */
export function readSlackEvent(connection: Connection, content: unknown): Received {
  const outer = envelope.safeParse(content).data
  if (!outer) return {}
  const { teamId } = connection.settings
  // One app may be in several Slack workspaces; each has its own connection.
  const team = outer.authorizations?.[0]?.team_id ?? outer.team_id
  if (team && teamId && team !== teamId) return {}
  if (outer.event.type === 'app_uninstalled') return { isRevoked: true }
  if (outer.event.type === 'tokens_revoked') {
    const revoked = revocation.safeParse(outer.event).data?.tokens.bot
    return { isRevoked: revoked === undefined || revoked.length > 0 }
  }
  const event = messageEvent.safeParse(outer.event).data
  const message = event && readSlackMessage(connection, event, outer.is_ext_shared_channel === true)
  return message ? { events: [message] } : {}
}

/** Null for Slack's own messages and for ours, and for what apps say in threads. */
export function readSlackMessage(
  connection: Connection,
  event: MessageEvent,
  isShared: boolean,
): InboundMessage | null {
  const { teamId, botUserId, botId } = connection.settings
  if (event.user === botUserId || (event.bot_id && event.bot_id === botId)) return null
  if (event.bot_id || event.subtype === 'bot_message') return readAppMessage(connection, event, isShared)
  if (!event.user) return null
  if (event.subtype && !writtenByPeople.has(event.subtype)) return null
  const teamOfSender = event.user_team ?? event.team
  // A mention does not always name the sender's team; the same message also arrives as a channel message, which does.
  if (isShared && event.type === 'app_mention' && !teamOfSender) return null
  const isDirect = event.channel_type === 'im'
  const mention = `<@${botUserId}>`
  return {
    kind: 'message',
    // The same message arrives as a mention and as a channel message, so both have the same key.
    key: `message:${event.channel}:${event.ts}`,
    externalId: event.ts,
    sender: {
      id: event.user,
      name: null,
      isForeign: isShared && teamOfSender !== teamId,
    },
    channel: placeOf(event),
    thread: event.thread_ts && event.thread_ts !== event.ts ? event.thread_ts : null,
    text: nameFiles(
      readMrkdwn(event.text.replaceAll(mention, agentMention)),
      event.files.map(({ name }) => name),
      'Attached',
    ),
    ...(event.files.length > 0 ? { files: event.files.map(readFile) } : {}),
    addressed: isDirect || event.type === 'app_mention' || event.text.includes(mention),
  }
}

function readFile({ id, name, size, url_private: url }: MessageEvent['files'][number]): AttachedFile {
  return { name: name || 'a file', sizeBytes: size ?? null, reference: { id: id ?? null, url: url ?? null } }
}

/** Only watched channels read it. Alerts are in blocks and attachments. */
function readAppMessage(
  { settings: { teamId } }: Connection,
  event: MessageEvent,
  isShared: boolean,
): InboundMessage | null {
  if (event.thread_ts && event.thread_ts !== event.ts) return null
  if (event.type === 'app_mention' || event.channel_type === 'im') return null
  const content = appContent.safeParse(event).data
  if (!content || (event.subtype && event.subtype !== 'bot_message' && event.subtype !== 'file_share'))
    return null
  const { bot_profile: profile, username } = content
  const id = event.bot_id ?? event.user ?? 'app'
  return {
    kind: 'message',
    key: `message:${event.channel}:${event.ts}`,
    externalId: event.ts,
    sender: {
      id,
      name: username || profile?.name || id,
      isForeign: isShared && (event.team ?? profile?.team_id) !== teamId,
    },
    channel: placeOf(event),
    thread: null,
    text: readSlackContent(content),
    addressed: false,
    isApp: true,
  }
}

function placeOf(event: MessageEvent): InboundMessage['channel'] {
  return {
    externalId: event.channel,
    name: null,
    kind: event.channel_type === 'im' ? 'direct' : 'channel',
    // A mention comes without the type of its channel.
    isPrivate: event.channel_type ? privateTypes.has(event.channel_type) : 'unless-known',
  }
}

/** A click on a button, or the shortcut of a message. */
export function readSlackInteraction(connection: Connection, content: unknown): Received {
  const outer = interaction.safeParse(content).data
  const { teamId } = connection.settings
  if (!outer || (outer.team && teamId && outer.team.id !== teamId)) return {}
  if (outer.type === 'message_action') return readShortcut(connection, content)
  if (outer.type !== 'block_actions') return {}
  const form = new URLSearchParams({ payload: JSON.stringify(content) }).toString()
  const payload = parseSlackWebhookBody(form, { contentType: 'application/x-www-form-urlencoded' })
  return payload.kind === 'block_actions' ? { events: readClicks(connection, payload) } : {}
}

function readClicks({ settings: { teamId } }: Connection, payload: SlackBlockActionsPayload): InboundEvent[] {
  const { channelId, messageTs, userId, responseUrl } = payload
  if (!channelId || !messageTs || !userId) return []
  const team = payload.user?.teamId
  return payload.actions.flatMap((action): InboundEvent[] => {
    const { actionId, value, raw } = action
    const at = String(raw.action_ts ?? payload.triggerId ?? '')
    const shared = {
      key: `click:${channelId}:${messageTs}:${userId}:${at}`,
      sender: {
        id: userId,
        name: payload.userName ?? null,
        isForeign: Boolean(team && teamId && team !== teamId),
      },
      channel: { externalId: channelId, name: null, kind: 'channel' as const },
      thread: payload.threadTs && payload.threadTs !== messageTs ? payload.threadTs : null,
    }
    const rated = readThumb(action, messageTs)
    if (rated) {
      const token = rated.rating.reason && responseUrl ? { token: responseUrl } : {}
      return [{ kind: 'thumb', ...shared, ...rated, ...token }]
    }
    const choice = readChoice(actions.get(actionId), value)
    return choice ? [{ kind: 'click', ...shared, ...choice }] : []
  })
}
