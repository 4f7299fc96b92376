import { z } from 'zod'
import type { RunId } from '../../../shared/ids.ts'
import type { Card } from '../../chat.ts'
import { cardToken } from '../../messages/read-choice.ts'
import { breakMentions } from '../../text/break-mentions.ts'
import { captionOf, typeOfFile } from '../../text/describe-file.ts'
import { describeOutcome } from '../../text/describe-outcome.ts'
import { breakFences, escapeMarkdown } from '../../text/escape-markdown.ts'
import { mustOpen, openToDecide } from '../../text/must-open.ts'
import { shortenRequest } from '../../text/shorten-request.ts'
import { type Connection, credential } from '../connection.ts'
import { downloadFile } from '../download-file.ts'
import type { OutgoingPart, Platform } from '../platform.ts'
import { isRefusal } from '../platform-error.ts'
import { callMattermost, serverUrl } from './call-mattermost.ts'
import { listMattermostChannels } from './list-mattermost-channels.ts'
import { readMattermostThread } from './read-mattermost-thread.ts'
import { signChoice } from './sign-choice.ts'

const me = z.looseObject({ id: z.string(), username: z.string() })
const config = z.looseObject({ MaxPostSize: z.string().optional(), SiteName: z.string().optional() })
const uploaded = z.looseObject({ file_infos: z.array(z.looseObject({ id: z.string() })) })
const sent = z.looseObject({ id: z.string() })
const person = z.looseObject({
  username: z.string(),
  nickname: z.string().default(''),
  first_name: z.string().default(''),
  last_name: z.string().default(''),
})
const pageShape = z.looseObject({
  posts: z
    .record(
      z.string(),
      z.looseObject({
        id: z.string(),
        user_id: z.string(),
        props: z.looseObject({ bellhop_key: z.unknown().optional() }).nullish(),
      }),
    )
    .default({}),
})

const clockSkewMs = 60_000
const nameMs = 60 * 60_000
/** The limit of a post, unless the server's database is an old one. */
const defaultLength = 16_383

/** A post carries its key in its properties, so that one whose answer was lost is recognised. */
export function openMattermost(connection: Connection): Platform {
  const call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) =>
    callMattermost(connection, method, path, body)
  const { botUserId = '', maxPostSize } = connection.settings

  /** The file first, then the post that has it. One whose post was never sent is cleared away by the server. */
  async function write({ file, text, channel, ...part }: OutgoingPart) {
    if (file === null) return render({ file, text, channel, ...part })
    const form = new FormData()
    form.set('channel_id', channel)
    form.set('files', new Blob([text], { type: typeOfFile(file) }), file)
    const { file_infos: files } = uploaded.parse(
      await callMattermost(connection, 'POST', 'files', undefined, form),
    )
    const post = render({ file, text: captionOf(file), channel, ...part })
    return { ...post, file_ids: files.map(({ id }) => id) }
  }

  function render({ card, text, key, cancels }: OutgoingPart) {
    // Marks the model's links as unsafe: the server fetches no previews, and clients load no images.
    const props = { bellhop_key: key, disable_group_highlight: true, unsafe_links: 'true' }
    return card
      ? { message: '', props: { ...props, attachments: [renderCard(connection, card)] } }
      : { message: text, props: { ...props, ...(cancels ? { attachments: [cancelButton(cancels)] } : {}) } }
  }

  function cancelButton(runId: RunId) {
    const proof = signChoice(connection, { runId, decision: 'cancel' })
    const context = { token: runId, decision: 'cancel', proof }
    const integration = { url: connection.eventsUrl, context }
    return { fallback: 'Cancel', actions: [{ id: 'cancel', type: 'button', name: 'Cancel', integration }] }
  }

  async function writeDirectly(to: string, text: string): Promise<void> {
    const { id } = sent.parse(await call('POST', 'channels/direct', [botUserId, to]))
    await call('POST', 'posts', { channel_id: id, message: text })
  }

  async function nameOf(senderId: string): Promise<string> {
    const {
      username,
      nickname,
      first_name: first,
      last_name: last,
    } = person.parse(await call('GET', `users/${encodeURIComponent(senderId)}`))
    return nickname || [first, last].filter(Boolean).join(' ') || username
  }

  return {
    maxLength: Math.min(defaultLength, Number(maxPostSize) || defaultLength),

    takesFiles: true,

    async identify() {
      const { id, username } = me.parse(await call('GET', 'users/me'))
      const { MaxPostSize: size, SiteName: site } = config.parse(
        await call('GET', 'config/client?format=old'),
      )
      const settings = { botUserId: id, botName: username, ...(size ? { maxPostSize: size } : {}) }
      return { name: site || 'Mattermost', settings }
    },

    async listChannels() {
      const all = await listMattermostChannels(connection)
      return all
        .filter(({ type }) => type === 'O' || type === 'P')
        .map(({ id, type, name }) => ({ externalId: id, name, isPrivate: type === 'P' }))
    },

    async send(part) {
      const post = await call('POST', 'posts', {
        channel_id: part.channel,
        root_id: part.thread ?? '',
        // The server recognises it for half a minute; our own key stays in the post.
        pending_post_id: `${botUserId}:${part.key}`,
        ...(await write(part)),
      })
      return { externalId: sent.parse(post).id }
    },

    async findSent(part, since) {
      const from = since.getTime() - clockSkewMs
      const { posts } = pageShape.parse(await call('GET', `channels/${part.channel}/posts?since=${from}`))
      const mine = Object.values(posts).find(
        ({ user_id: author, props }) => author === botUserId && props?.bellhop_key === part.key,
      )
      return mine ? { externalId: mine.id } : null
    },

    async edit(part, externalId) {
      await call('PUT', `posts/${externalId}/patch`, await write(part))
    },

    async react(_channel, postId) {
      await call('POST', 'reactions', { user_id: botUserId, post_id: postId, emoji_name: 'white_check_mark' })
    },

    link: async (_channel, _thread, externalId) => `${serverUrl(connection)}_redirect/pl/${externalId}`,

    async showWorking(channel, thread, note) {
      if (note !== null)
        await call('POST', 'users/me/typing', { channel_id: channel, parent_id: thread ?? '' })
    },

    async whisper({ channel, thread, sender }, text) {
      try {
        const post = { channel_id: channel.externalId, root_id: thread ?? '', message: text }
        await call('POST', 'posts/ephemeral', { user_id: sender.id, post })
      } catch (error) {
        // Many servers allow this to administrators only.
        if (!isRefusal(error)) throw error
        await writeDirectly(sender.id, text)
      }
    },

    nameOf,

    async fetchFile({ id }) {
      return await downloadFile(connection, {
        platform: 'Mattermost',
        url: new URL(`api/v4/files/${encodeURIComponent(id ?? '')}`, serverUrl(connection)).href,
        hosts: [],
        usualApi: '',
        headers: { authorization: `Bearer ${credential(connection, 'botToken')}` },
      })
    },

    readThread: (asked) =>
      readMattermostThread(connection, asked, (id) =>
        connection.cache.getOrFetch(`name ${id}`, nameMs, () => nameOf(id)),
      ),
  }
}

function renderCard(connection: Connection, card: Card) {
  const { shown, isShortened } = shortenRequest(card, 6000, breakFences)
  const ended = describeOutcome(card, { bold: (text) => `**${text}**`, quote })
  const lines = [
    ...card.lines.map(({ label, value }) => `${label}: ${quote(value.slice(0, 300))}`),
    `\`\`\`\n${shown}\n\`\`\``,
    ...(isShortened
      ? [`Shortened. ${openToDecide}: ${connection.publicUrl}/approvals/${card.approvalId}`]
      : []),
    ...(ended ? [ended] : []),
  ]
  const button = (name: string, style: string, decision: 'approve' | 'deny') => {
    const { approvalId, edition = 0 } = card
    const proof = signChoice(connection, { approvalId, edition, decision })
    const context = { token: cardToken(card), decision, proof }
    return { id: decision, type: 'button', name, style, integration: { url: connection.eventsUrl, context } }
  }
  return {
    fallback: card.title,
    title: card.title,
    text: lines.join('\n'),
    actions:
      card.state === 'pending'
        ? [
            ...(mustOpen(card, isShortened)
              ? []
              : [
                  button(
                    card.confirm ? 'Confirm' : 'Approve',
                    card.confirm ? 'danger' : 'primary',
                    'approve',
                  ),
                ]),
            button('Deny', 'default', 'deny'),
          ]
        : [],
  }
}

/** The server also looks for mentions in the text of an attachment. */
function quote(text: string): string {
  return escapeMarkdown(breakMentions(text))
}
