import type { Actor, Role } from '../shared/actor.ts'
import type { ApprovalId, ChannelId, EventId, MessageId, RunId } from '../shared/ids.ts'
import type { ApprovalChoice } from './messages/read-choice.ts'
import type { ThreadMessage } from './platforms/thread-message.ts'

/** What the agent and its approvals need from a chat system. All other code is the same for every platform. */
export type Chat = {
  /** Posting twice with the same key returns the first message. Throws `ChatError`. */
  post(message: NewPost): Promise<Posted>
  /** Updates the posted message to its current content. False if its platform refuses: it was deleted there, or is too old to be edited. */
  update(
    messageId: MessageId,
    change: { text?: string; card?: Card; isReply?: boolean; hasCancel?: boolean },
  ): Promise<boolean>
  /** Adds a check mark to a message that cannot be edited, where the platform has reactions. Best effort. */
  react(messageId: MessageId): Promise<void>
  /** False if people have deleted the message. Where the platform does not tell, it is assumed to be there. */
  isThere(messageId: MessageId): Promise<boolean>
  /** A person has checked that the message is not there: an `ambiguous` post under this key may be sent once more. */
  retryAmbiguousPost(channelId: ChannelId, key: string): Promise<void>
  /** "calling get_order…"; null clears it. Best effort: nothing depends on it. */
  showWorking(
    channelId: ChannelId,
    threadId: string | null,
    note: string | null,
    runId?: RunId,
  ): Promise<void>
  /** Reads what is attached to the message, as far as that is possible. Nothing is thrown for what is wrong with a file. */
  fetchFiles(channelId: ChannelId, messageId: MessageId): Promise<void>
  /**
   * What others wrote in the message's thread before it, since `after` (the `until` of an earlier call). Null in a thread of our own, and
   * where the channel's threads are not read. A thread that cannot be read is a `problem`, not an error.
   */
  readThread(channelId: ChannelId, messageId: MessageId, after: string | null): Promise<ThreadRead | null>
}

export type ThreadRead = {
  /** Oldest first: the first message of the thread and the newest others. */
  messages: (ThreadMessage & { role: Role | null })[]
  /** How many are left out after the first message. */
  leftOut: number
  until: string | null
  /** Why it could not be read, for people. */
  problem: string | null
}

export type NewPost = {
  channelId: ChannelId
  /** The first message of the thread; null posts at the top level. */
  threadId: string | null
  /** Markdown. */
  text: string
  key: string
  runId?: RunId
  card?: Card
  origin?: Origin | null
  /** The answer of its run, which people may rate. */
  isReply?: boolean
  /** With a button that cancels the run, where the platform has buttons. */
  hasCancel?: boolean
  /** Ids of user groups in Slack, which are mentioned where that platform is. Text never mentions a group. */
  mentions?: string[]
  /** `system` for notices that are not from the agent. */
  author?: 'agent' | 'system'
}

/** The event that a message answers. `source`: what sent it; null if that has no name any more. `title`: in the sender's words. */
export type Origin = { source: string | null; eventId: EventId; title: string | null }

export type Posted = { messageId: MessageId; permalink: string | null }

/** A question with two buttons. Only a view: the approval itself is decided elsewhere. */
export type Card = {
  kind: 'approval'
  approvalId: ApprovalId
  /** How often the request was edited. */
  edition?: number
  title: string
  lines: { label: string; value: string }[]
  /** The request that will be sent: method, URL and body. */
  request: string
  /** Its headers, with secrets masked, one per line. */
  headers?: string
  state: 'pending' | 'approved' | 'denied' | 'expired' | 'void'
  decidedBy?: string
  /** What became of the call after it was approved: `→ 201`. */
  outcome?: string
  /** A confirmation of a destructive call instead of an approval. */
  confirm: boolean
}

/** A click on a card's button, by a person whose role was just looked up. */
type CardClick = Omit<ApprovalChoice, 'edition'> & {
  /** What of the request was shown: its digest, or how often it had been edited. */
  digest?: string
  edition?: number
  /** Where it was clicked; null if that is not a channel we know. */
  channelId: ChannelId | null
  reason: string | null
  actor: Actor
  source?: string
}

/** A click on the button of a message that shows a run at work. */
export type CancelClick = { runId: RunId; channelId: ChannelId | null; actor: Actor }

/** What people do from the chat that other slices answer for. What must not be throws a Problem. */
export type ChatCommands = {
  decide(click: CardClick): Promise<unknown>
  cancel(click: CancelClick): Promise<unknown>
  /** What the agent does now, and what waits for a decision: as much as this person may see. */
  describeWork(name: 'status' | 'approvals', actor: Actor): Promise<string>
}

/** How people address the agent in a channel, whatever the platform calls it. */
export const agentMention = '@bellhop'

type ChatFault =
  /** Rate limited, down, or another worker is sending it. Try again after `retryAfter`. */
  | 'unavailable'
  /** The platform refuses it permanently: no such channel, no access, a revoked token. */
  | 'refused'
  /** It may have been posted or not, and the platform offers no way to find out. Never sent again automatically. */
  | 'ambiguous'

/** A time by the database's clock, or milliseconds from now. Never a time by the process's own clock, which may be off. */
export type RetryAfter = Date | number

export class ChatError extends Error {
  readonly fault: ChatFault
  readonly retryAfter: RetryAfter | null

  constructor(fault: ChatFault, message: string, extras: { retryAfter?: RetryAfter; cause?: unknown } = {}) {
    super(message, { cause: extras.cause })
    this.name = 'ChatError'
    this.fault = fault
    this.retryAfter = extras.retryAfter ?? null
  }
}
