import { escapeSlackText } from '@chat-adapter/slack/format'
import { z } from 'zod'
import { agentMention } from '../../chat.ts'
import { connectionOf } from '../../workspaces/contract.ts'
import type { Connection } from '../connection.ts'
import type { InboundEvent, OutgoingPart, Platform, PlatformChannel } from '../platform.ts'
import { isRefusal, PlatformError } from '../platform-error.ts'
import { findMissingNeeded } from './app-manifest.ts'
import { callSlack } from './call-slack.ts'
import { fetchSlackFile } from './fetch-slack-file.ts'
import { readSlackThread } from './read-slack-thread.ts'
import { renderCard, renderText, renderWhy, withCancel, withMentions } from './render-blocks.ts'
import { uploadSlackFile } from './upload-slack-file.ts'

/** Marks our messages, so that one whose answer was lost can be found in the history. */
const metadataType = 'bellhop_message'
/** Slack's clock may differ a little from ours. */
const clockSkewMs = 60_000
const maxPages = 20
const memberMs = 60 * 60_000
const nameMs = 60 * 60_000
const blockFaults = new Set<unknown>(['invalid_blocks', 'msg_blocks_too_long'])

/** A page of a history or of a list of channels. */
const pageShape = z.object({
  messages: z
    .array(
      z.looseObject({
        ts: z.string(),
        files: z
          .array(z.looseObject({ id: z.string(), name: z.string().nullable().default(null) }))
          .default([])
          .catch([]),
        metadata: z
          .looseObject({ event_payload: z.looseObject({ key: z.unknown() }) })
          .optional()
          .catch(undefined),
      }),
    )
    .default([]),
  channels: z
    .array(z.looseObject({ id: z.string(), name: z.string(), is_private: z.boolean().optional() }))
    .default([]),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional(),
})
const threadShape = z.object({
  messages: z.array(z.looseObject({ subtype: z.string().optional() })).default([]),
})
const whoAmI = z.object({
  team: z.string(),
  team_id: z.string(),
  user_id: z.string(),
  bot_id: z.string().optional(),
})
const groupMembers = z.object({ users: z.array(z.string()) })
const postedAs = z.object({ ts: z.string() })
const person = z.object({
  user: z.looseObject({
    real_name: z.string().optional(),
    name: z.string().optional(),
    profile: z.looseObject({ display_name: z.string().optional() }).optional(),
  }),
})

/** Slack's Web API. It has no idempotency key, so we search the history instead. */
export function openSlack(connection: Connection): Platform {
  const call = (method: string, body: Record<string, unknown>) => callSlack(connection, method, body)
  const render = ({ card, text, mentions, isRated, cancels }: OutgoingPart) =>
    withCancel(
      withMentions(card ? renderCard(card, connection.publicUrl) : renderText(text, isRated), mentions),
      cancels,
    )

  /**
   * Only members of a channel receive its threads' messages. Private channels need an invitation, and an app without the scope
   * may not join: then it posts without being a member.
   */
  async function join(channel: string): Promise<void> {
    if (!channel.startsWith('C')) return
    await connection.cache.getOrFetch(`member ${channel}`, memberMs, () =>
      call('conversations.join', { channel }).catch((error: unknown) => {
        const isNone = error instanceof PlatformError && /refused|uncertain/.test(error.kind)
        if (!isNone) throw error
      }),
    )
  }

  async function* pages(method: string, body: Record<string, unknown>) {
    let cursor: string | undefined
    for (let n = 0; n < maxPages; n++) {
      const page = pageShape.parse(await call(method, { ...body, limit: 200, cursor }))
      yield page
      cursor = page.response_metadata?.next_cursor || undefined
      if (!cursor) return
    }
  }

  /** Markdown blocks are not supported everywhere, and their limit depends on their content: if one is refused, we send plain text. */
  async function write(
    method: string,
    message: Record<string, unknown>,
    part: OutgoingPart,
  ): Promise<unknown> {
    try {
      return await call(method, { ...message, ...render(part) })
    } catch (error) {
      if (part.card || !isRefusal(error) || !blockFaults.has(error.code)) throw error
      const blocks = method === 'chat.update' ? { blocks: [] } : {}
      return call(method, { ...message, text: escapeSlackText(part.text), ...blocks })
    }
  }

  async function nameOf(senderId: string): Promise<string | null> {
    const { user } = person.parse(await call('users.info', { user: senderId }))
    return user.profile?.display_name || user.real_name || user.name || null
  }

  async function tell(
    { channel: { externalId: channel }, thread, sender }: InboundEvent,
    message: { text: string; blocks?: unknown[] },
  ): Promise<void> {
    // In a direct conversation nobody else can see it.
    if (channel.startsWith('D')) await call('chat.postMessage', { channel, ...message })
    else await call('chat.postEphemeral', { channel, user: sender.id, thread_ts: thread, ...message })
  }

  return {
    // The limit of a markdown block is 12,000 characters.
    maxLength: 11_000,

    takesFiles: true,

    async identify() {
      let scopes = ''
      const fetch: Connection['fetch'] = async (...asked) => {
        const answer = await connection.fetch(...asked)
        scopes = answer.headers.get('x-oauth-scopes') ?? ''
        return answer
      }
      const me = whoAmI.parse(await callSlack({ ...connection, fetch }, 'auth.test', {}))
      const missing = findMissingNeeded(scopes)
      if (missing.length > 0) {
        const advice = 'Update it with the manifest from Bellhop and install it again.'
        throw new PlatformError(
          'refused',
          `The app is missing the permissions ${missing.join(', ')}. ${advice}`,
        )
      }
      const settings = {
        teamId: me.team_id,
        botUserId: me.user_id,
        ...(me.bot_id ? { botId: me.bot_id } : {}),
        ...(scopes ? { scopes } : {}),
      }
      return { name: me.team, settings }
    },

    async subscribe() {
      // Refused here rather than after the workspace is shown as connected.
      if (connectionOf('slack', connection) === 'socket')
        await callSlack(connection, 'apps.connections.open', {}, 'appToken')
    },

    async listChannels() {
      const found: PlatformChannel[] = []
      const all = { types: 'public_channel,private_channel', exclude_archived: true }
      for await (const { channels } of pages('conversations.list', all)) {
        for (const { id, name, is_private: isPrivate = false } of channels)
          found.push({ externalId: id, name, isPrivate })
      }
      return found
    },

    async send(part) {
      if (part.thread === null) await join(part.channel)
      if (part.file !== null) return await uploadSlackFile(connection, { ...part, file: part.file })
      const message = {
        channel: part.channel,
        thread_ts: part.thread,
        metadata: { event_type: metadataType, event_payload: { key: part.key } },
        unfurl_links: false,
        unfurl_media: false,
      }
      return { externalId: postedAs.parse(await write('chat.postMessage', message, part)).ts }
    },

    async findSent(part, since) {
      const oldest = String((since.getTime() - clockSkewMs) / 1000)
      const where = { channel: part.channel, oldest, include_all_metadata: true }
      const history = part.thread
        ? pages('conversations.replies', { ...where, ts: part.thread })
        : pages('conversations.history', where)
      let hasMore = false
      for await (const { messages, response_metadata: rest } of history) {
        hasMore = Boolean(rest?.next_cursor)
        const mine = messages.find(({ metadata }) => metadata?.event_payload.key === part.key)
        if (mine) return { externalId: mine.ts }
        const file = messages
          .flatMap(({ files }) => files)
          .find(({ name }) => name !== null && name === part.file)
        if (file) return { externalId: file.id }
      }
      if (hasMore)
        throw new PlatformError('refused', 'so many messages came since that not all can be searched.')
      return null
    },

    async edit(part, externalId) {
      // A file stays as it was sent: its id is not that of a message.
      if (externalId.startsWith('F')) return
      await write('chat.update', { channel: part.channel, ts: externalId }, part)
    },

    async react(channel, timestamp) {
      await call('reactions.add', { channel, timestamp, name: 'white_check_mark' })
    },

    async isThere(channel, ts) {
      try {
        const answer = await call('conversations.replies', { channel, ts, limit: 1 })
        const [first] = threadShape.parse(answer).messages
        // What is left of a deleted message with replies.
        return first !== undefined && first.subtype !== 'tombstone'
      } catch (error) {
        if (isRefusal(error) && error.code === 'thread_not_found') return false
        throw error
      }
    },

    async link(channel, _thread, externalId) {
      const answer = await call('chat.getPermalink', { channel, message_ts: externalId })
      return typeof answer.permalink === 'string' ? answer.permalink : null
    },

    async showWorking(channel, thread, note) {
      if (!thread) return
      await call('assistant.threads.setStatus', {
        channel_id: channel,
        thread_ts: thread,
        status: note ?? '',
      })
    },

    async showQuestion({ channel, sender, text }) {
      const asked = escapeSlackText(text.replace(agentMention, '').trim()).replaceAll(/^/gm, '> ')
      const message = { channel: channel.externalId, text: `<@${sender.id}> asks:\n${asked}` }
      return postedAs.parse(
        await call('chat.postMessage', { ...message, unfurl_links: false, unfurl_media: false }),
      ).ts
    },

    async whisper(to, text) {
      // Where a command was typed, also if the app is not in that channel. The address needs no credential.
      if (to.token) await answerPrivately(connection, to, text)
      else await tell(to, { text })
    },

    async askWhy(to, link) {
      await tell(to, renderWhy(to.externalId, link))
    },

    nameOf,

    async listGroup(usergroup) {
      return groupMembers.parse(await call('usergroups.users.list', { usergroup })).users
    },

    fetchFile: (reference) => fetchSlackFile(connection, reference),

    async readThread(asked) {
      await join(asked.channel)
      return readSlackThread(connection, asked, (id) =>
        connection.cache.getOrFetch(`name ${id}`, nameMs, () => nameOf(id)),
      )
    },
  }
}

/** The thanks for a reason take the place of the question. */
async function answerPrivately(
  connection: Connection,
  { kind, token: url = '' }: InboundEvent,
  text: string,
): Promise<void> {
  const body = JSON.stringify({
    response_type: 'ephemeral',
    text,
    ...(kind === 'thumb' ? { replace_original: true } : {}),
  })
  await connection.fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
}
