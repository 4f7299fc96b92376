import { TelegramFormatConverter } from '@chat-adapter/telegram'
import { z } from 'zod'
import type { Card } from '../../chat.ts'
import { cardToken } from '../../messages/read-choice.ts'
import { convertMarkdown, escapeHtml } from '../../text/convert-markdown.ts'
import { describeOutcome } from '../../text/describe-outcome.ts'
import { mustOpen, openToDecide } from '../../text/must-open.ts'
import { shortenRequest } from '../../text/shorten-request.ts'
import type { Connection } from '../connection.ts'
import type { OutgoingPart, Platform } from '../platform.ts'
import { isRefusal, PlatformError } from '../platform-error.ts'
import { callTelegram, webhookSecret } from './call-telegram.ts'

const bot = z.object({ id: z.number(), first_name: z.string(), username: z.string() })
const sent = z.object({ message_id: z.number() })

/** The Bot API has neither an idempotency key nor a history to search: what is uncertain stays uncertain. */
export function openTelegram(connection: Connection): Platform {
  const call = (method: string, body: Record<string, unknown>) => callTelegram(connection, method, body)
  const converter = new TelegramFormatConverter()

  function render({ card, text }: OutgoingPart): Record<string, unknown> {
    if (card) return renderCard(card, connection.publicUrl)
    const written = convertMarkdown(converter, text)
    return written === null ? { text } : { text: written, parse_mode: 'MarkdownV2' }
  }

  /** Telegram refuses a whole message for one mark it cannot parse, or for a table that is too long once drawn; plain text always works. */
  async function write(method: string, part: OutgoingPart, rest: Record<string, unknown>): Promise<unknown> {
    const { chat, topic } = readAddress(part.channel)
    const message = {
      chat_id: chat,
      message_thread_id: topic,
      link_preview_options: { is_disabled: true },
      ...rest,
    }
    try {
      return await call(method, { ...message, ...render(part) })
    } catch (error) {
      if (part.card || !isRefusal(error) || !/parse entities|too long/i.test(error.message)) throw error
      return call(method, { ...message, text: part.text })
    }
  }

  return {
    // 4096 characters, counted after Telegram has parsed the marks.
    maxLength: 3500,

    async identify() {
      const me = bot.parse(await call('getMe', {}))
      return { name: me.first_name, settings: { botId: String(me.id), botName: me.username } }
    },

    async subscribe() {
      const url = connection.eventsUrl
      try {
        await call('setWebhook', {
          url,
          secret_token: webhookSecret(connection),
          allowed_updates: ['message', 'callback_query', 'my_chat_member'],
        })
      } catch (error) {
        if (!isRefusal(error)) throw error
        // The token is valid; Telegram refuses our own address.
        const advice = 'Set PUBLIC_URL to an https address that the Internet can reach.'
        throw new PlatformError('down', `Telegram does not send to ${url}. ${error.message}. ${advice}`)
      }
    },

    // Telegram does not list a bot's groups; they become known when the bot is added or addressed.
    listChannels: async () => [],

    async send(part) {
      const reply = part.thread
        ? { reply_parameters: { message_id: Number(part.thread), allow_sending_without_reply: true } }
        : {}
      return { externalId: String(sent.parse(await write('sendMessage', part, reply)).message_id) }
    },

    async edit(part, externalId) {
      try {
        await write('editMessageText', part, { message_id: Number(externalId) })
      } catch (error) {
        // Telegram treats an unchanged text as an error; we do not.
        if (!isRefusal(error) || !/not modified/i.test(error.message)) throw error
      }
    },

    /** Telegram tells nobody of deletions. An edit that changes nothing is refused in one way for a message, and in another for none. */
    async isThere(channel, externalId) {
      const { chat } = readAddress(channel)
      try {
        await call('editMessageReplyMarkup', { chat_id: chat, message_id: Number(externalId) })
        return true
      } catch (error) {
        if (!isRefusal(error)) throw error
        return !/message to edit not found|MESSAGE_ID_INVALID/i.test(error.message)
      }
    },

    async link(channel, _thread, externalId) {
      const supergroup = readAddress(channel).chat.match(/^-100(\d+)$/)?.[1]
      return supergroup ? `https://t.me/c/${supergroup}/${externalId}` : null
    },

    async showWorking(channel, _thread, note) {
      if (note === null) return
      const { chat, topic } = readAddress(channel)
      await call('sendChatAction', { chat_id: chat, message_thread_id: topic, action: 'typing' })
    },

    async whisper({ channel, token }, text) {
      if (token) {
        const shown = text.length > 200 ? `${text.slice(0, 199)}…` : text
        await call('answerCallbackQuery', { callback_query_id: token, text: shown, show_alert: true })
      } else {
        const { chat, topic } = readAddress(channel.externalId)
        await call('sendMessage', { chat_id: chat, message_thread_id: topic, text })
      }
    },

    async acceptClick(token) {
      await call('answerCallbackQuery', { callback_query_id: token })
    },
  }
}

/** A topic of a group is a channel of its own: `<chat>/<topic>`. */
export function writeAddress(chat: number, topic: number | undefined): string {
  return topic === undefined ? String(chat) : `${chat}/${topic}`
}

function readAddress(channel: string): { chat: string; topic: number | undefined } {
  const [chat = '', topic] = channel.split('/')
  return { chat, topic: topic === undefined ? undefined : Number(topic) }
}

function renderCard(card: Card, publicUrl: string): Record<string, unknown> {
  const { shown, isShortened } = shortenRequest(card, 2500)
  const ended = describeOutcome(card, { bold: (text) => `<b>${text}</b>`, quote: escapeHtml })
  const lines = [
    `<b>${escapeHtml(card.title.slice(0, 300).toWellFormed())}</b>`,
    ...card.lines.map(
      ({ label, value }) => `${escapeHtml(label)}: ${escapeHtml(value.slice(0, 300).toWellFormed())}`,
    ),
    `<pre>${escapeHtml(shown)}</pre>`,
    ...(isShortened ? [`Shortened. ${openToDecide}: ${publicUrl}/approvals/${card.approvalId}`] : []),
    ...(ended ? [ended] : []),
  ]
  const buttons = [
    ...(mustOpen(card, isShortened)
      ? []
      : [{ text: card.confirm ? 'Confirm' : 'Approve', callback_data: `approve:${cardToken(card)}` }]),
    { text: 'Deny', callback_data: `deny:${cardToken(card)}` },
  ]
  return {
    text: lines.join('\n'),
    parse_mode: 'HTML',
    reply_markup: { inline_keyboard: card.state === 'pending' ? [buttons] : [] },
  }
}
