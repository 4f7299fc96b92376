import { createHash } from 'node:crypto'
import { GoogleChatFormatConverter } from '@chat-adapter/gchat'
import { z } from 'zod'
import type { Card } from '../chat.ts'
import type { Connection } from '../connection.ts'
import type { OutgoingPart, Platform } from '../platform.ts'
import { escapeHtml } from '../text/escape-html.ts'
import { shortenRequest } from '../text/shorten-request.ts'
import { tellOutcome } from '../text/tell-outcome.ts'
import { callGoogleChat, serviceAccountName } from './call-google-chat.ts'

const posted = z.object({ name: z.string() })
const spaces = z.object({
  spaces: z.array(z.looseObject({ name: z.string(), displayName: z.string().optional() })).default([]),
})

/** The Chat API takes a request id: the same one twice gives the first message. */
export function openGoogleChat(connection: Connection): Platform {
  const call = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown) =>
    callGoogleChat(connection, method, path, body)
  const converter = new GoogleChatFormatConverter()
  const render = ({ card, text }: OutgoingPart) =>
    card
      ? { text: card.title, cardsV2: [renderCard(card, connection.publicUrl)] }
      : { text: converter.fromMarkdown(text) }

  return {
    maxLength: 3800,
    repeatableMs: Number.POSITIVE_INFINITY,

    async identify() {
      await call('GET', 'spaces?pageSize=1')
      return { name: serviceAccountName(connection).split('@')[0] ?? 'Google Chat', settings: {} }
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
      await call('POST', `${channel}/messages`, { text, privateMessageViewer: { name: sender } })
    },
  }
}

/** A thread has the name of its first message: `spaces/S/messages/T.T` began `spaces/S/threads/T`. */
export function rootOfThread(thread: string): string {
  return thread.replace(/\/threads\/([^/]+)$/, '/messages/$1.$1')
}

function threadOf(message: string): string {
  return message.replace(/\/messages\/([^/.]+)(\.[^/]+)?$/, '/threads/$1')
}

function renderCard(card: Card, publicUrl: string) {
  const { shown, isShortened } = shortenRequest(card.request, 3000)
  const ended = tellOutcome(card, { bold: (text) => `<b>${text}</b>`, quote: escapeHtml })
  const whole = {
    text: isShortened ? 'Whole request' : 'Details',
    onClick: { openLink: { url: `${publicUrl}/approvals/${card.approvalId}` } },
  }
  return {
    cardId: card.approvalId,
    card: {
      header: { title: card.title.slice(0, 200) },
      sections: [
        {
          widgets: [
            ...card.lines.map(({ label, value }) => ({
              decoratedText: { topLabel: label, text: escapeHtml(value), wrapText: true },
            })),
            { textParagraph: { text: escapeHtml(shown) } },
            ...(ended ? [{ textParagraph: { text: ended } }] : []),
            { buttonList: { buttons: [...(card.state === 'pending' ? buttons(card) : []), whole] } },
          ],
        },
      ],
    },
  }
}

function buttons({ confirm, approvalId }: Card) {
  const button = (text: string, decision: string) => ({
    text,
    onClick: { action: { function: decision, parameters: [{ key: 'approvalId', value: approvalId }] } },
  })
  return [button(confirm ? 'Confirm' : 'Approve', 'approve'), button('Deny', 'deny')]
}
