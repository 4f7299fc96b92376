import { createHash } from 'node:crypto'
import { GoogleChatFormatConverter } from '@chat-adapter/gchat'
import { z } from 'zod'
import type { Card } from '../../chat.ts'
import { cardToken } from '../../messages/read-choice.ts'
import { breakMentions } from '../../text/break-mentions.ts'
import { convertMarkdown, escapeHtml } from '../../text/convert-markdown.ts'
import { describeOutcome } from '../../text/describe-outcome.ts'
import { mustOpen, openToDecide } from '../../text/must-open.ts'
import { shortenRequest } from '../../text/shorten-request.ts'
import type { Connection } from '../connection.ts'
import type { OutgoingPart, Platform } from '../platform.ts'
import { callGoogleChat, readAccount } from './call-google-chat.ts'

/** The limit of a message is 32,000 bytes. */
const longestText = 8000

const posted = z.object({ name: z.string() })
const spaces = z.object({
  spaces: z.array(z.looseObject({ name: z.string(), displayName: z.string().optional() })).default([]),
})

/** The Chat API takes a request id: repeating a request returns the first message. */
export function openGoogleChat(connection: Connection): Platform {
  const call = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown) =>
    callGoogleChat(connection, method, path, body)
  const converter = new GoogleChatFormatConverter()
  /** Mentions are broken after the conversion, which may assemble one from Markdown escapes. A table can grow far beyond the limit. */
  const write = (markdown: string) => {
    const text = breakMentions(convertMarkdown(converter, markdown) ?? markdown)
    return text.length <= longestText ? text : markdown
  }
  const render = ({ card, text }: OutgoingPart) =>
    card
      ? { text: breakMentions(card.title), cardsV2: [renderCard(card, connection)] }
      : { text: write(text) }

  return {
    maxLength: 3800,
    repeatableMs: Number.POSITIVE_INFINITY,

    async identify() {
      await call('GET', 'spaces?pageSize=1')
      return { name: readAccount(connection)?.client_email.split('@')[0] ?? 'Google Chat', settings: {} }
    },

    async listChannels() {
      const filter = encodeURIComponent('spaceType = "SPACE"')
      const found = spaces.parse(await call('GET', `spaces?pageSize=1000&filter=${filter}`))
      return found.spaces.map(({ name, displayName }) => ({ externalId: name, name: displayName ?? name }))
    },

    async send(part) {
      const query = new URLSearchParams({
        requestId: createHash('sha256').update(part.key).digest('hex').slice(0, 40),
        messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD',
      })
      const message = await call('POST', `${part.channel}/messages?${query}`, {
        ...render(part),
        ...(part.thread ? { thread: { name: threadOf(part.thread) } } : {}),
      })
      return { externalId: posted.parse(message).name }
    },

    async edit(part, externalId) {
      await call('PATCH', `${externalId}?updateMask=text,cardsV2`, render(part))
    },

    link: async () => null,

    async whisper({ channel, sender }, text) {
      const viewer = channel.kind === 'direct' ? {} : { privateMessageViewer: { name: sender.id } }
      await call('POST', `${channel.externalId}/messages`, { text, ...viewer })
    },
  }
}

/** A thread is named after its first message: `spaces/S/messages/T.T` began `spaces/S/threads/T`. */
export function rootOfThread(thread: string): string {
  return thread.replace(/\/threads\/([^/]+)$/, '/messages/$1.$1')
}

function threadOf(message: string): string {
  return message.replace(/\/messages\/([^/.]+)(\.[^/]+)?$/, '/threads/$1')
}

function renderCard(card: Card, { publicUrl, eventsUrl }: Connection) {
  const { shown, isShortened } = shortenRequest(card, 3000)
  const ended = describeOutcome(card, { bold: (text) => `<b>${text}</b>`, quote: escapeHtml })
  const opens = mustOpen(card, isShortened)
  const whole = {
    text: opens ? openToDecide : isShortened ? 'Whole request' : 'Details',
    onClick: { openLink: { url: `${publicUrl}/approvals/${card.approvalId}` } },
  }
  return {
    cardId: card.approvalId,
    card: {
      header: { title: card.title.slice(0, 200).toWellFormed() },
      sections: [
        {
          widgets: [
            ...card.lines.map(({ label, value }) => ({
              decoratedText: { topLabel: label, text: escapeHtml(value), wrapText: true },
            })),
            { textParagraph: { text: escapeHtml(shown) } },
            ...(ended ? [{ textParagraph: { text: ended } }] : []),
            {
              buttonList: {
                buttons: [...(card.state === 'pending' ? buttons(card, eventsUrl, opens) : []), whole],
              },
            },
          ],
        },
      ],
    },
  }
}

/** The function of an add-on's button is the URL that is called; its meaning is in the parameters. */
function buttons(card: Card, eventsUrl: string, opens: boolean) {
  const approvalId = cardToken(card)
  const button = (text: string, decision: string) => {
    const parameters = Object.entries({ decision, approvalId }).map(([key, value]) => ({ key, value }))
    return { text, onClick: { action: { function: eventsUrl, parameters } } }
  }
  return [...(opens ? [] : [button(card.confirm ? 'Confirm' : 'Approve', 'approve')]), button('Deny', 'deny')]
}
