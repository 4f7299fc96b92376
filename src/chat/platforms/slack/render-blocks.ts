import { createSlackMrkdwn, createSlackPlainText, escapeSlackText } from '@chat-adapter/slack/format'
import type { Card } from '../../chat.ts'
import { cardToken } from '../../messages/read-choice.ts'
import { describeOutcome } from '../../text/describe-outcome.ts'
import { breakFences } from '../../text/escape-markdown.ts'
import { mustOpen, openToDecide } from '../../text/must-open.ts'
import { shortenRequest } from '../../text/shorten-request.ts'
import { reasonLabels, thumbKind, thumbReasons } from '../../thumbs/contract.ts'
import type { Rating } from '../../thumbs/rate-reply.ts'

const approveAction = 'bellhop_approve'
const denyAction = 'bellhop_deny'
const cancelAction = 'bellhop_cancel'
/** What each button means. */
export const actions = new Map([
  [approveAction, 'approve'],
  [denyAction, 'deny'],
  [cancelAction, 'cancel'],
])

/** Slack's own pair of buttons for feedback; the value says which one. */
const thumbAction = 'bellhop_thumb'
const whyAction = 'bellhop_why_'

const longestSection = 2700
const longestField = 1900
/** For notifications. Slack refuses an update with more, counted after escaping. */
const maxFallbackBytes = 4000

/** Slack renders standard Markdown in its own block type. `text` is for notifications. */
export function renderText(markdown: string, isRated: boolean): { text: string; blocks: unknown[] } {
  return {
    text: writeFallback(markdown),
    blocks: [{ type: 'markdown', text: markdown }, ...(isRated ? [thumbs] : [])],
  }
}

const thumbs = {
  type: 'context_actions',
  elements: [
    {
      type: 'feedback_buttons',
      action_id: thumbAction,
      positive_button: thumb('👍', 'up', 'Good reply'),
      negative_button: thumb('👎', 'down', 'Bad reply'),
    },
  ],
}

function thumb(sign: string, value: string, label: string) {
  return { text: createSlackPlainText(sign), value, accessibility_label: label }
}

/** Asks why a reply was of no use. The buttons name the message that they are about: this one is seen by one person only. */
export function renderWhy(externalId: string, link: string | null): { text: string; blocks: unknown[] } {
  const text = 'What was wrong with this reply?'
  const reasons = thumbReasons.map((reason) => ({
    type: 'button',
    action_id: `${whyAction}${reason}`,
    value: externalId,
    text: createSlackPlainText(reasonLabels[reason]),
  }))
  const more = link
    ? [{ type: 'button', action_id: 'bellhop_why', url: link, text: createSlackPlainText('Say more…') }]
    : []
  return {
    text,
    blocks: [
      { type: 'section', text: createSlackMrkdwn(text) },
      { type: 'actions', elements: [...reasons, ...more] },
    ],
  }
}

/** What a button of either kind says about which message; null for other buttons. */
export function readThumb(
  { actionId, value = '' }: { actionId: string; value?: string },
  messageTs: string,
): { externalId: string; rating: Rating } | null {
  if (actionId === thumbAction) {
    const kind = thumbKind.safeParse(value).data
    return kind ? { externalId: messageTs, rating: { thumb: kind } } : null
  }
  const reason = thumbReasons.find((one) => actionId === `${whyAction}${one}`)
  return reason && /^[0-9.]+$/.test(value) ? { externalId: value, rating: { thumb: 'down', reason } } : null
}

/** Below the message that shows a run at work. */
export function withCancel(
  message: { text: string; blocks: unknown[] },
  runId: string | null,
): { text: string; blocks: unknown[] } {
  if (runId === null) return message
  const button = {
    type: 'button',
    action_id: cancelAction,
    value: runId,
    text: createSlackPlainText('Cancel'),
  }
  return { ...message, blocks: [...message.blocks, { type: 'actions', block_id: runId, elements: [button] }] }
}

/** Ids that an admin entered, and only those: no text can mention a group. Slack notifies its members of a new message only. */
export function withMentions(
  message: { text: string; blocks: unknown[] },
  userGroups: readonly string[],
): { text: string; blocks: unknown[] } {
  if (userGroups.length === 0) return message
  const mentions = userGroups.map((id) => `<!subteam^${id}>`).join(' ')
  return {
    ...message,
    blocks: [...message.blocks, { type: 'section', text: createSlackMrkdwn(mentions) }],
  }
}

/** The buttons are shown only while the approval is pending. */
export function renderCard(card: Card, publicUrl: string): { text: string; blocks: unknown[] } {
  const { shown, isShortened } = shortenRequest(card, longestSection, writeCode)
  const link = `${publicUrl}/approvals/${card.approvalId}`
  const ended = describeOutcome(card, { bold: (text) => `*${text}*`, quote: escapeSlackText })
  return {
    text: writeFallback(card.title),
    blocks: [
      {
        type: 'section',
        text: createSlackMrkdwn(`*${escapeSlackText(card.title).slice(0, longestSection)}*`),
      },
      ...(card.lines.length > 0
        ? [{ type: 'section', fields: card.lines.slice(0, 10).map(renderLine) }]
        : []),
      // If it were collapsed, the buttons would be visible but not the end of the request.
      { type: 'section', text: createSlackMrkdwn(`\`\`\`${shown}\`\`\``), expand: true },
      ...(isShortened
        ? [{ type: 'context', elements: [createSlackMrkdwn(`Shortened. <${link}|The whole request>`)] }]
        : []),
      ended
        ? { type: 'context', elements: [createSlackMrkdwn(ended)] }
        : renderButtons(card, publicUrl, mustOpen(card, isShortened) ? link : null),
    ],
  }
}

function renderLine({ label, value }: Card['lines'][number]) {
  return createSlackMrkdwn(`*${escapeSlackText(label)}*\n${escapeSlackText(value)}`.slice(0, longestField))
}

/** With a link, the request is decided where all of it is shown. */
function renderButtons(card: Card, publicUrl: string, link: string | null) {
  const label = card.confirm ? 'Confirm' : 'Approve'
  return {
    type: 'actions',
    block_id: card.approvalId,
    elements: [
      link
        ? {
            type: 'button',
            action_id: 'bellhop_open',
            url: link,
            style: 'primary',
            text: createSlackPlainText(openToDecide),
          }
        : {
            type: 'button',
            action_id: approveAction,
            value: cardToken(card),
            style: card.confirm ? 'danger' : 'primary',
            text: createSlackPlainText(label),
            ...(card.confirm
              ? {
                  confirm: {
                    title: createSlackPlainText('Are you sure?'),
                    text: createSlackPlainText('This cannot be undone.'),
                    confirm: createSlackPlainText('Confirm'),
                    deny: createSlackPlainText('Back'),
                    style: 'danger',
                  },
                }
              : {}),
          },
      { type: 'button', action_id: denyAction, value: cardToken(card), text: createSlackPlainText('Deny') },
      // An edit approves nothing: its form is where all of the input is shown.
      {
        type: 'button',
        action_id: 'bellhop_edit',
        url: `${publicUrl}/approvals/${card.approvalId}?edit=true`,
        text: createSlackPlainText('Edit…'),
      },
      // A policy is written where all of it is shown; what must be opened to be decided has one way to say yes.
      ...(card.confirm || link
        ? []
        : [
            {
              type: 'button',
              action_id: 'bellhop_similar',
              url: `${publicUrl}/policies/new?approval=${card.approvalId}`,
              text: createSlackPlainText('Approve and allow similar…'),
            },
          ]),
    ],
  }
}

/** Nothing in the request can end the code block or mention anybody. */
function writeCode(text: string): string {
  return escapeSlackText(breakFences(text))
}

function writeFallback(text: string): string {
  const bytes = Buffer.from(escapeSlackText(text))
  if (bytes.length <= maxFallbackBytes) return bytes.toString()
  // What was cut in the middle goes: an entity, or a character of several bytes.
  return bytes.toString('utf8', 0, maxFallbackBytes).replace(/&[a-z]*$|\ufffd+$/, '')
}
