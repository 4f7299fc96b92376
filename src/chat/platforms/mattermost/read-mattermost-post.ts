import { z } from 'zod'
import { agentMention } from '../../chat.ts'
import { nameFiles } from '../../text/name-files.ts'
import { attachmentShape, readAttachment } from '../../text/read-attachment.ts'
import type { Connection } from '../connection.ts'
import type { AttachedFile, InboundEvent } from '../platform.ts'

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
  props: z
    .looseObject({
      from_bot: z.unknown().optional(),
      from_webhook: z.unknown().optional(),
      override_username: z.string().optional().catch(undefined),
      attachments: z.array(attachmentShape).nullish().catch(null),
    })
    .nullish()
    .catch(null),
})
export type Post = z.output<typeof postShape>

type Around = { channelType: string; channelName: string | null; senderName: string | null }

/** Null for our own posts and Mattermost's, and for what bots and webhooks say in threads. */
export function readMattermostPost(
  { settings }: Connection,
  post: Post,
  { channelType, channelName, senderName }: Around,
): InboundEvent | null {
  if (post.user_id === settings.botUserId || post.delete_at > 0 || !isWritten(post)) return null
  const isDirect = channelType === 'D'
  const isApp = isMade(post)
  // Only watched channels read it.
  if (isApp && (isDirect || post.root_id !== '')) return null
  // Names may contain dots and dashes; a dot at the end belongs to the sentence.
  const name = RegExp.escape(settings.botName ?? '')
  const mention = new RegExp(`(?<![\\w@.-])@${name}(?![\\w-])(?!\\.\\w)`, 'gi')
  const text = post.message.replaceAll(mention, agentMention)
  return {
    kind: 'message',
    key: `message:${post.id}`,
    externalId: post.id,
    sender: {
      id: isApp ? `app:${post.user_id}` : post.user_id,
      name: (isApp && post.props?.override_username) || senderName,
    },
    channel: {
      externalId: post.channel_id,
      name: isDirect ? null : channelName,
      kind: isDirect ? 'direct' : 'channel',
      isPrivate: channelType !== 'O',
    },
    thread: post.root_id || null,
    text: isApp ? readPostContent(post) : nameFiles(text, filesOf(post), 'Attached'),
    ...(isApp || !post.file_ids?.length ? {} : { files: readFiles(post) }),
    addressed: !isApp && (isDirect || text !== post.message),
    ...(isApp ? { isApp } : {}),
  }
}

function readFiles(post: Post): AttachedFile[] {
  const names = filesOf(post)
  return (post.file_ids ?? []).map((id, at) => ({
    name: names[at] || 'a file',
    sizeBytes: null,
    reference: { id, url: null },
  }))
}

/** A webhook wrote it, or a bot. */
export function isMade({ props }: Post): boolean {
  return Boolean(props?.from_bot || props?.from_webhook)
}

/** Everything else is Mattermost's own: who joined, what was renamed. */
export function isWritten({ type }: Post): boolean {
  return type === '' || type === 'slack_attachment'
}

/** Posts of apps say most in attachments. */
export function readPostContent(post: Post): string {
  const attached = (post.props?.attachments ?? []).map((one) => readAttachment(one, (text) => text))
  return nameFiles([post.message, ...attached].filter(Boolean).join('\n\n'), filesOf(post))
}

/** The names are not always given. */
function filesOf({ file_ids: ids, metadata }: Post): (string | undefined)[] {
  return (ids ?? []).map((id) => metadata?.files?.find((file) => file.id === id)?.name)
}
