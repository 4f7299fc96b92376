import { z } from 'zod'
import { agentMention } from '../../chat.ts'
import { nameFiles } from '../../text/name-files.ts'
import type { Connection } from '../connection.ts'
import type { InboundEvent } from '../platform.ts'

/** The same from the WebSocket and from the history. */
export const postShape = z.looseObject({
  id: z.string(),
  channel_id: z.string(),
  user_id: z.string(),
  root_id: z.string().default(''),
  message: z.string().default(''),
  /** Empty for posts by people. */
  type: z.string().default(''),
  create_at: z.number(),
  delete_at: z.number().default(0),
  file_ids: z.array(z.string()).nullish(),
  metadata: z
    .looseObject({ files: z.array(z.looseObject({ id: z.string(), name: z.string().optional() })).nullish() })
    .nullish()
    .catch(undefined),
  props: z.looseObject({ from_bot: z.unknown().optional(), from_webhook: z.unknown().optional() }).nullish(),
})
type Post = z.output<typeof postShape>

type Around = { channelType: string; channelName: string | null; senderName: string | null }

/** Null for posts that no person wrote: those of bots and webhooks, and Mattermost's own. */
export function readMattermostPost(
  { settings }: Connection,
  post: Post,
  { channelType, channelName, senderName }: Around,
): InboundEvent | null {
  const isMade = post.props?.from_bot || post.props?.from_webhook
  if (post.user_id === settings.botUserId || isMade || post.type !== '' || post.delete_at > 0) return null
  const isDirect = channelType === 'D'
  // Names may contain dots and dashes; a dot at the end belongs to the sentence.
  const name = RegExp.escape(settings.botName ?? '')
  const mention = new RegExp(`(?<![\\w@.-])@${name}(?![\\w-])(?!\\.\\w)`, 'gi')
  const text = post.message.replaceAll(mention, agentMention)
  return {
    kind: 'message',
    key: `message:${post.id}`,
    externalId: post.id,
    sender: { id: post.user_id, name: senderName },
    channel: {
      externalId: post.channel_id,
      name: isDirect ? null : channelName,
      kind: isDirect ? 'direct' : 'channel',
      isPrivate: channelType !== 'O',
    },
    thread: post.root_id || null,
    text: nameFiles(text, filesOf(post)),
    addressed: isDirect || text !== post.message,
  }
}

/** The names are not always given. */
export function filesOf({ file_ids: ids, metadata }: Post): (string | undefined)[] {
  return (ids ?? []).map((id) => metadata?.files?.find((file) => file.id === id)?.name)
}
