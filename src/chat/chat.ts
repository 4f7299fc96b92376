import type { Actor } from '../actor.ts'
import type { ApprovalId, ChannelId, MessageId, RunId } from '../ids.ts'
import type { Choice } from './read-choice.ts'

/** What the agent and its approvals need of a chat system. Everything above this is the same for every platform. */
export type Chat = {
  /** The same key twice gives the first message, never a second one. Throws `ChatError`. */
  post(message: NewPost): Promise<Posted>
  /** Shows the message as it is now, in place. */
  update(messageId: MessageId, change: { text?: string; card?: Card }): Promise<void>
  /** Somebody has looked and says that it is not there: what is `ambiguous` under this key may be sent once more. */
  allowAgain(channelId: ChannelId, key: string): Promise<void>
  /** "calling get_order…"; null when it is over. Best effort: nothing depends on it. */
  showWorking(channelId: ChannelId, threadId: string | null, note: string | null): Promise<void>
}

export type NewPost = {
  channelId: ChannelId
  /** The message that the thread hangs on; null posts at the top level. */
  threadId: string | null
  /** Markdown. */
  text: string
  key: string
  runId?: RunId
  card?: Card
  /** `system` for notices that are not the agent's words. */
  author?: 'agent' | 'system'
}

export type Posted = { messageId: MessageId; permalink: string | null }

/** A question with two buttons. It is a view: the approval itself is decided elsewhere. */
export type Card = {
  kind: 'approval'
  approvalId: ApprovalId
  title: string
  lines: { label: string; value: string }[]
  /** The request that will be sent, rendered, secrets masked. */
  request: string
  state: 'pending' | 'approved' | 'denied' | 'expired' | 'void'
  decidedBy?: string
  /** A confirmation of a destructive call rather than an approval. */
  confirm: boolean
}

/** A press of a button on a card, by a person whose role was looked up just now. */
export type CardClick = Choice & {
  /** Where it was pressed; null when it is no channel that we know. */
  channelId: ChannelId | null
  reason: string | null
  actor: Actor
  source?: string
}

/** How people address the agent in a channel, whatever the platform calls it. */
export const agentMention = '@bellhop'

type ChatFault =
  /** Not now: rate limited, down, or another worker is at it. Try again after `retryAt`. */
  | 'unavailable'
  /** The platform refuses it for good: no such channel, no access, a revoked token. */
  | 'refused'
  /** It may be there or not, and the platform gives no way to find out. Never sent again by itself. */
  | 'ambiguous'

export class ChatError extends Error {
  readonly fault: ChatFault
  readonly retryAt: Date | null

  constructor(fault: ChatFault, message: string, extras: { retryAt?: Date; cause?: unknown } = {}) {
    super(message, { cause: extras.cause })
    this.name = 'ChatError'
    this.fault = fault
    this.retryAt = extras.retryAt ?? null
  }
}
