import {
  parseSlackWebhookBody,
  type SlackBlockActionsPayload,
  SlackWebhookError,
  verifySlackSignature,
} from '@chat-adapter/slack/webhook'
import { z } from 'zod'
import { problem } from '../../../http/problems.ts'
import { readForm } from '../../../platform/http-server/read-form.ts'
import { parseJson } from '../../../platform/json/parse-json.ts'
import { agentMention } from '../../chat.ts'
import { readChoice } from '../../messages/read-choice.ts'
import { nameFiles } from '../../text/name-files.ts'
import { type Connection, credential } from '../connection.ts'
import type { InboundEvent, InboundRequest, Received } from '../platform.ts'
import { readMrkdwn } from './read-mrkdwn.ts'
import { actions } from './render-blocks.ts'

const messageEvent = z.looseObject({
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
    .array(z.looseObject({ name: z.string().nullish() }))
    .default([])
    .catch([]),
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
const teamOf = z.looseObject({ team: z.looseObject({ id: z.string() }).nullish() })

const formType = 'application/x-www-form-urlencoded'
/** Subtypes of messages that people write. */
const writtenByPeople = new Set(['thread_broadcast', 'file_share', 'me_message'])
/** In Slack's API a group is a private channel and an mpim a conversation of several people. */
const privateTypes = new Set(['group', 'mpim'])

/** Reads Slack's requests: verified over the raw bytes, at most five minutes old. */
export async function readSlackRequest(connection: Connection, request: InboundRequest): Promise<Received> {
  const body = request.body.toString('utf8')
  try {
    await verifySlackSignature(body, request.headers, {
      signingSecret: credential(connection, 'signingSecret'),
      now: () => request.now.getTime(),
    })
    const written = isForm(request) ? readInteraction(request.body) : body
    if (written === null) return {}
    const payload = parseSlackWebhookBody(written, {
      headers: request.headers,
      contentType: isForm(request) ? formType : 'application/json',
    })
    if (payload.kind === 'url_verification') return { answer: { challenge: payload.challenge } }
    if (payload.kind === 'block_actions') return { events: readClicks(connection, payload) }
    return readEvent(connection, payload.raw, body)
  } catch (error) {
    if (!(error instanceof SlackWebhookError)) throw error
    throw problem('chat-signature-invalid', 'The request is not signed by Slack, or it is too old.', {
      cause: error,
    })
  }
}

function isForm({ headers }: InboundRequest): boolean {
  return headers.get('content-type')?.toLowerCase().startsWith(formType) ?? false
}

/** Only the field that we need, as a form again. The SDK parses all fields, which takes seconds if there are many. */
function readInteraction(body: Buffer): string | null {
  const payload = readForm(body)?.find(([name]) => name === 'payload')?.[1]
  return payload === undefined ? null : new URLSearchParams({ payload }).toString()
}

function readEvent(connection: Connection, raw: unknown, body: string): Received {
  // For mentions and direct messages `raw` is only the event; the envelope is in the body.
  const outer = envelope.safeParse(raw).data ?? envelope.safeParse(parseJson(body)).data
  if (!outer) return {}
  const { teamId, botUserId } = connection.settings
  // One app may be in several Slack workspaces; each has its own connection.
  const team = outer.authorizations?.[0]?.team_id ?? outer.team_id
  if (team && teamId && team !== teamId) return {}
  if (outer.event.type === 'app_uninstalled') return { isRevoked: true }
  if (outer.event.type === 'tokens_revoked') {
    const revoked = revocation.safeParse(outer.event).data?.tokens.bot
    return { isRevoked: revoked === undefined || revoked.length > 0 }
  }
  const event = messageEvent.safeParse(outer.event).data
  if (!event?.user || event.bot_id || event.user === botUserId) return {}
  if (event.subtype && !writtenByPeople.has(event.subtype)) return {}
  const teamOfSender = event.user_team ?? event.team
  const isShared = outer.is_ext_shared_channel === true
  // A mention does not always name the sender's team; the same message also arrives as a channel message, which does.
  if (isShared && event.type === 'app_mention' && !teamOfSender) return {}
  const isDirect = event.channel_type === 'im'
  const mention = `<@${botUserId}>`
  return {
    events: [
      {
        kind: 'message',
        // The same message arrives as a mention and as a channel message, so both have the same key.
        key: `message:${event.channel}:${event.ts}`,
        externalId: event.ts,
        sender: {
          id: event.user,
          name: null,
          isForeign: isShared && teamOfSender !== teamId,
        },
        channel: {
          externalId: event.channel,
          name: null,
          kind: isDirect ? 'direct' : 'channel',
          // A mention comes without the type of its channel.
          isPrivate: event.channel_type ? privateTypes.has(event.channel_type) : 'unless-known',
        },
        thread: event.thread_ts && event.thread_ts !== event.ts ? event.thread_ts : null,
        text: nameFiles(
          readMrkdwn(event.text.replaceAll(mention, agentMention)),
          event.files.map(({ name }) => name),
        ),
        addressed: isDirect || event.type === 'app_mention' || event.text.includes(mention),
      },
    ],
  }
}

function readClicks({ settings }: Connection, payload: SlackBlockActionsPayload): InboundEvent[] {
  const { channelId, messageTs, userId } = payload
  if (!channelId || !messageTs || !userId) return []
  const team = teamOf.safeParse(payload.raw).data?.team?.id
  if (team && settings.teamId && team !== settings.teamId) return []
  return payload.actions.flatMap(({ actionId, value, raw }): InboundEvent[] => {
    const choice = readChoice(actions.get(actionId), value)
    if (!choice) return []
    return [
      {
        kind: 'click',
        key: `click:${channelId}:${messageTs}:${userId}:${String(raw.action_ts ?? payload.triggerId ?? '')}`,
        ...choice,
        sender: { id: userId, name: payload.userName ?? null },
        channel: { externalId: channelId, name: null, kind: 'channel' },
        thread: payload.threadTs && payload.threadTs !== messageTs ? payload.threadTs : null,
      },
    ]
  })
}
