import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Card } from '../../chat.ts'
import { cardToken } from '../../messages/read-choice.ts'
import { captionOf, typeOfFile } from '../../text/describe-file.ts'
import { describeOutcome } from '../../text/describe-outcome.ts'
import { breakFences, escapeMarkdown } from '../../text/escape-markdown.ts'
import { mustOpen, openToDecide } from '../../text/must-open.ts'
import { readBlocks } from '../../text/read-blocks.ts'
import { shortenRequest } from '../../text/shorten-request.ts'
import type { Connection } from '../connection.ts'
import { downloadFile } from '../download-file.ts'
import type { OutgoingPart, Platform, PlatformChannel } from '../platform.ts'
import { isRefusal } from '../platform-error.ts'
import { callDiscord, defaultApiUrl } from './call-discord.ts'
import { attachmentsShape } from './read-discord-content.ts'
import { readDiscordThread } from './read-discord-thread.ts'
import { channelShape, readPlace } from './read-place.ts'
import { textChannels } from './text-channels.ts'

const suppressEmbeds = 1 << 2
const ephemeral = 1 << 6
/** Discord's error codes. */
const unknownChannel = 10003
const threadExists = 160004
const noSuchMessage = 10008
const longestMessage = 2000
const clockSkewMs = 60_000
/** Discord recognises a repeated nonce for some minutes. */
const nonceMs = 60_000

const me = z.looseObject({ id: z.string(), username: z.string() })
const sent = z.looseObject({ id: z.string() })
const guilds = z.array(z.looseObject({ id: z.string(), name: z.string() }))
const channels = z.array(channelShape)
const history = z.array(
  z.looseObject({
    id: z.string(),
    content: z.string().default(''),
    timestamp: z.string(),
    author: z.looseObject({ id: z.string() }),
    attachments: attachmentsShape,
  }),
)

/** A nonce keeps Discord from posting twice within minutes; after that we search the channel. */
export function openDiscord(connection: Connection): Platform {
  const call = (method: 'GET' | 'POST' | 'PATCH' | 'PUT', path: string, body?: unknown, form?: FormData) =>
    callDiscord(connection, method, path, body, form)
  const render = ({
    card,
    text,
    file,
    cancels,
  }: OutgoingPart): { content: string; components?: unknown[] } => {
    if (card) return renderCard(card, connection.publicUrl)
    const button = { type: 2, style: 2, label: 'Cancel', custom_id: `cancel:${cancels}` }
    return {
      content: file === null ? renderText(text) : captionOf(file),
      ...(cancels ? { components: [{ type: 1, components: [button] }] } : {}),
    }
  }
  /** A message with a file is a form: the message as JSON, and the file. */
  const write = (method: 'POST' | 'PATCH', path: string, { file, text }: OutgoingPart, message: object) => {
    if (file === null) return call(method, path, message)
    const form = new FormData()
    form.set('payload_json', JSON.stringify({ ...message, attachments: [{ id: 0, filename: file }] }))
    form.set('files[0]', new Blob([text], { type: typeOfFile(file) }), file)
    return call(method, path, undefined, form)
  }

  /** Where a message of this thread is posted. Where threads are impossible, it replies to the message instead. */
  async function placeOf(
    channel: string,
    thread: string | null,
  ): Promise<{ place: string; answers?: string }> {
    if (thread === null || !/^\d+$/.test(thread)) return { place: channel }
    const { isFlat } = await readPlace(connection, channel)
    return isFlat ? { place: channel, answers: thread } : { place: thread }
  }

  /** A thread that starts from a message has the message's id, so we need not store it. */
  async function beginThread({ channel, thread, text }: OutgoingPart): Promise<void> {
    try {
      const name = text.replaceAll(/\s+/g, ' ').slice(0, 60).toWellFormed().trim() || 'Bellhop'
      await call('POST', `channels/${channel}/messages/${thread}/threads`, { name })
    } catch (error) {
      // A thread that was not started from a message has no such message.
      if (!isRefusal(error) || (error.code !== threadExists && error.code !== noSuchMessage)) throw error
    }
  }

  async function directChannel(person: string): Promise<string> {
    return sent.parse(await call('POST', 'users/@me/channels', { recipient_id: person })).id
  }

  return {
    maxLength: 1900,
    takesFiles: true,
    repeatableMs: nonceMs,

    async identify() {
      const { id, username } = me.parse(await call('GET', 'users/@me'))
      return { name: username, settings: { botUserId: id } }
    },

    async subscribe() {
      await call('POST', `applications/${connection.settings.applicationId ?? ''}/commands`, {
        name: 'bellhop',
        description: 'Ask the agent',
        options: [
          { type: 3, name: 'text', description: 'What you want to know or have done', required: true },
        ],
      })
    },

    async listChannels() {
      const found: PlatformChannel[] = []
      for (const guild of guilds.parse(await call('GET', 'users/@me/guilds'))) {
        const all = channels.parse(await call('GET', `guilds/${guild.id}/channels`))
        found.push(...textChannels({ ...guild, channels: all }))
      }
      return found
    },

    async send(part) {
      const { place, answers } = await placeOf(part.channel, part.thread)
      const post = () =>
        write('POST', `channels/${place}/messages`, part, {
          ...render(part),
          ...(answers ? { message_reference: { message_id: answers, fail_if_not_exists: false } } : {}),
          nonce: nonceOf(part.key),
          enforce_nonce: true,
          allowed_mentions: { parse: [] },
          flags: suppressEmbeds,
        })
      try {
        return { externalId: sent.parse(await post()).id }
      } catch (error) {
        if (place === part.channel || !isUnknownChannel(error)) throw error
        await beginThread(part)
        return { externalId: sent.parse(await post()).id }
      }
    },

    async findSent(part, since, isOther) {
      const { place } = await placeOf(part.channel, part.thread)
      const content = render(part).content.trim()
      const earliest = since.getTime() - clockSkewMs
      const path = `channels/${place}/messages?limit=100`
      const recent = history.parse(
        await call('GET', path).catch((error: unknown) => {
          // A thread that does not exist contains nothing.
          if (place !== part.channel && isUnknownChannel(error)) return []
          throw error
        }),
      )
      const alike = recent.filter(
        ({ author, content: there, timestamp, attachments }) =>
          author.id === connection.settings.botUserId &&
          there.trim() === content &&
          (part.file === null || attachments.some(({ filename }) => filename === part.file)) &&
          Date.parse(timestamp) >= earliest,
      )
      for (const { id } of alike) if (!(await isOther(id))) return { externalId: id }
      return null
    },

    async edit(part, externalId) {
      const { place } = await placeOf(part.channel, part.thread)
      await write('PATCH', `channels/${place}/messages/${externalId}`, part, {
        components: [],
        ...render(part),
        allowed_mentions: { parse: [] },
      })
    },

    async react(channel, externalId) {
      const emoji = encodeURIComponent('✅')
      await call('PUT', `channels/${channel}/messages/${externalId}/reactions/${emoji}/@me`)
    },

    // The thread of a deleted message goes on, but nobody sees it in the channel.
    async isThere(channel, externalId) {
      try {
        await call('GET', `channels/${channel}/messages/${externalId}`)
        return true
      } catch (error) {
        if (isRefusal(error) && error.code === noSuchMessage) return false
        throw error
      }
    },

    async link(channel, thread, externalId) {
      const { guild } = await readPlace(connection, channel)
      const { place } = await placeOf(channel, thread)
      return `https://discord.com/channels/${guild ?? '@me'}/${place}/${externalId}`
    },

    async showWorking(channel, _thread, note) {
      if (note !== null) await call('POST', `channels/${channel}/typing`, {})
    },

    async whisper({ kind, channel, sender, token }, text) {
      // A reaction has no answer that only one person sees.
      const place = kind === 'thumb' ? await directChannel(sender.id) : channel.externalId
      const [path, how] = token
        ? [`webhooks/${connection.settings.applicationId ?? ''}/${token}`, { flags: ephemeral }]
        : [`channels/${place}/messages`, { allowed_mentions: { parse: [] } }]
      await call('POST', path, { content: text, ...how })
    },

    // The address is signed: no token goes with it.
    async fetchFile({ url }) {
      return await downloadFile(connection, {
        platform: 'Discord',
        url: url ?? '',
        hosts: ['cdn.discordapp.com', 'media.discordapp.net'],
        usualApi: defaultApiUrl,
      })
    },

    readThread: (asked) => readDiscordThread(connection, asked),
  }
}

/** At most 25 characters. */
function nonceOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 25)
}

function isUnknownChannel(error: unknown): boolean {
  return isRefusal(error) && error.code === unknownChannel
}

/** The code fences around many small tables may exceed the limit. */
function renderText(markdown: string): string {
  const text = tablesAsCode(markdown)
  return text.length <= longestMessage ? text : markdown
}

/** Discord's Markdown has no tables. */
function tablesAsCode(markdown: string): string {
  const fence = '```'
  return readBlocks(markdown)
    .map(({ kind, lines, gap }, index) => {
      const text = lines.join('\n')
      return `${index === 0 ? '' : '\n'.repeat(gap + 1)}${kind === 'table' ? `${fence}\n${text}\n${fence}` : text}`
    })
    .join('')
}

/** Leaves room for the request. Escaping may double the length of what is above it. */
const longestHead = 1000

function renderCard(card: Card, publicUrl: string): { content: string; components: unknown[] } {
  const ended = describeOutcome(card, { bold: (text) => `**${text}**`, quote: escapeMarkdown })
  const head = [
    `**${escapeMarkdown(card.title.slice(0, 200).toWellFormed())}**`,
    ...card.lines
      .slice(0, 6)
      .map(({ label, value }) => `${label}: ${escapeMarkdown(value.slice(0, 200).toWellFormed())}`),
  ]
    .join('\n')
    .slice(0, longestHead)
    .replace(/\\$/, '')
  const link = `Shortened. ${openToDecide}: <${publicUrl}/approvals/${card.approvalId}>`
  const room = longestMessage - head.length - link.length - (ended?.length ?? 0) - '\n```\n\n```\n\n'.length
  const { shown, isShortened } = shortenRequest(card, Math.min(1100, room), breakFences)
  const lines = [head, `\`\`\`\n${shown}\n\`\`\``, ...(isShortened ? [link] : []), ...(ended ? [ended] : [])]
  const button = (label: string, style: number, decision: string) => ({
    type: 2,
    style,
    label,
    custom_id: `${decision}:${cardToken(card)}`,
  })
  const buttons = [
    ...(mustOpen(card, isShortened)
      ? []
      : [button(card.confirm ? 'Confirm' : 'Approve', card.confirm ? 4 : 3, 'approve')]),
    button('Deny', 2, 'deny'),
  ]
  return {
    content: lines.join('\n'),
    components: card.state === 'pending' ? [{ type: 1, components: buttons }] : [],
  }
}
