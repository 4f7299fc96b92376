import { buildTeamsMessageActivity, buildTeamsTypingActivity } from '@chat-adapter/teams/api'
import type { Card } from '../../chat.ts'
import { cardToken } from '../../messages/read-choice.ts'
import { breakImages } from '../../text/break-images.ts'
import { describeOutcome } from '../../text/describe-outcome.ts'
import { mustOpen, openToDecide } from '../../text/must-open.ts'
import { shortenRequest } from '../../text/shorten-request.ts'
import type { Connection } from '../connection.ts'
import type { OutgoingPart, Platform } from '../platform.ts'
import { PlatformError } from '../platform-error.ts'
import { callTeams, teamsToken } from './call-teams.ts'

/** The Bot Connector has neither an idempotency key nor a history to search. */
export function openTeams(connection: Connection): Platform {
  const call = (method: 'POST' | 'PUT', path: string, body: unknown) =>
    callTeams(connection, method, path, body)
  const activityOf = ({ card, text }: OutgoingPart) =>
    card
      ? buildTeamsMessageActivity({ adaptiveCard: renderCard(card, connection.publicUrl) })
      : buildTeamsMessageActivity({ markdownText: breakImages(text) })

  async function openDirect(person: string): Promise<string> {
    const { appId = '', tenantId } = connection.settings
    const direct = await call('POST', 'v3/conversations', {
      isGroup: false,
      bot: { id: `28:${appId}` },
      members: [{ id: person }],
      ...(tenantId ? { tenantId, channelData: { tenant: { id: tenantId } } } : {}),
    })
    return readId(direct.id)
  }

  return {
    // The limit of a message is about 28 KB, including markup.
    maxLength: 10_000,

    async identify() {
      await teamsToken(connection)
      return { name: 'Microsoft Teams', settings: {} }
    },

    // A bot learns of teams and channels when it is installed there.
    listChannels: async () => [],

    async send(part) {
      const activity = activityOf(part)
      if (part.thread === null && hasThreads(part.channel)) {
        const started = await call('POST', 'v3/conversations', {
          isGroup: true,
          channelData: { channel: { id: part.channel } },
          activity,
        })
        return { externalId: readId(started.activityId) }
      }
      const conversation = conversationOf(part.channel, part.thread)
      return { externalId: readId((await call('POST', `${conversation}/activities`, activity)).id) }
    },

    async edit(part, externalId) {
      const conversation = conversationOf(part.channel, part.thread ?? externalId)
      await call('PUT', `${conversation}/activities/${encodeURIComponent(externalId)}`, activityOf(part))
    },

    async link(channel, thread, externalId) {
      if (!hasThreads(channel)) return null
      const { tenantId } = connection.settings
      const where = new URLSearchParams({
        ...(tenantId ? { tenantId } : {}),
        parentMessageId: thread ?? externalId,
      })
      const path = `${encodeURIComponent(channel)}/${encodeURIComponent(externalId)}`
      return `https://teams.microsoft.com/l/message/${path}?${where}`
    },

    async showWorking(channel, thread, note) {
      if (note === null) return
      await call('POST', `${conversationOf(channel, thread)}/activities`, buildTeamsTypingActivity())
    },

    /** Teams cannot show something to one person in a channel, so we send a direct message. */
    async whisper({ channel, sender }, text) {
      const to = channel.kind === 'direct' ? channel.externalId : await openDirect(sender.id)
      await call('POST', `${conversationOf(to, null)}/activities`, { type: 'message', text })
    },
  }
}

/** Channels of a team have threads; group and direct conversations do not. */
export function hasThreads(channel: string): boolean {
  return /@thread\.(tacv2|skype)$/.test(channel)
}

function conversationOf(channel: string, thread: string | null): string {
  const id = thread !== null && hasThreads(channel) ? `${channel};messageid=${thread}` : channel
  return `v3/conversations/${encodeURIComponent(id)}`
}

function readId(id: unknown): string {
  if (typeof id === 'string' && id !== '') return id
  throw new PlatformError('uncertain', 'Teams did not say which message it posted.')
}

/** Text runs render no markup, so nothing in a request can look like a button or a link. */
function renderCard(card: Card, publicUrl: string) {
  const { shown, isShortened } = shortenRequest(card, 6000)
  const opens = mustOpen(card, isShortened)
  const ended = describeOutcome(card)
  return {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.4',
    body: [
      plain(card.title, { weight: 'Bolder' }),
      ...card.lines.map(({ label, value }) => plain(`${label}: ${value}`)),
      plain(shown, { fontType: 'Monospace' }),
      ...(isShortened ? [plain('Shortened.', { isSubtle: true })] : []),
      ...(ended ? [plain(ended, { weight: 'Bolder' })] : []),
    ],
    actions: [
      ...(card.state === 'pending'
        ? [
            ...(opens ? [] : [submit(card.confirm ? 'Confirm' : 'Approve', 'approve', card)]),
            submit('Deny', 'deny', card),
          ]
        : []),
      {
        type: 'Action.OpenUrl',
        title: opens ? openToDecide : 'Whole request',
        url: `${publicUrl}/approvals/${card.approvalId}`,
      },
    ],
  }
}

function plain(text: string, style: Record<string, unknown> = {}) {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text, ...style }] }
}

function submit(title: string, decision: 'approve' | 'deny', card: Card) {
  return { type: 'Action.Submit', title, data: { bellhop: decision, approvalId: cardToken(card) } }
}
