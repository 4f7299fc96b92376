import type { RunId } from '../../shared/ids.ts'
import type { Card } from '../chat.ts'
import type { Choice } from '../messages/read-choice.ts'
import type { Rating } from '../thumbs/rate-reply.ts'
import type { ThreadMessage } from './thread-message.ts'

/**
 * A chat platform, reached with the credentials of one workspace. It knows the platform's protocol and nothing about Bellhop's
 * tables. Its calls throw `PlatformError`.
 */
export type Platform = {
  /** The maximum length of one message. */
  readonly maxLength: number
  /** Our identity there, from a call that needs the credentials. */
  identify(): Promise<PlatformIdentity>
  /** Tells the platform where to send its events, if that takes a call. */
  subscribe?(): Promise<void>
  listChannels(): Promise<PlatformChannel[]>
  /** For this long, a second `send` with the same key returns the first message. */
  readonly repeatableMs?: number
  /** One attempt, no retries. */
  send(part: OutgoingPart): Promise<{ externalId: string }>
  /**
   * Searches for a part that may have been sent since then. `isOther` says that a message is known to be another part, where only the
   * words can tell. Absent if the platform offers no way to search.
   */
  findSent?(
    part: OutgoingPart,
    since: Date,
    isOther: (externalId: string) => Promise<boolean>,
  ): Promise<{ externalId: string } | null>
  edit(part: OutgoingPart, externalId: string): Promise<void>
  /** Sends and edits a part whose text is a `file`. Absent where replies are never that long, or files cannot be sent. */
  readonly takesFiles?: true
  /** Adds a check mark to a message. */
  react?(channel: string, externalId: string): Promise<void>
  /** Whether a first message is still there, where posting in the thread of a deleted one is not refused. */
  isThere?(channel: string, externalId: string): Promise<boolean>
  link(channel: string, thread: string | null, externalId: string): Promise<string | null>
  showWorking?(channel: string, thread: string | null, note: string | null): Promise<void>
  /** Tells one person something that nobody else sees, if the platform can do that. */
  whisper(to: InboundEvent, text: string): Promise<void>
  /** Asks one person why a reply was of no use, if that takes more than words. */
  askWhy?(to: InboundThumb, link: string | null): Promise<void>
  /** The click was handled; some platforms wait for this. */
  acceptClick?(token: string): Promise<void>
  /** Posts what somebody asked with a command, so that the answer has a thread. Returns the message's id. */
  showQuestion?(question: InboundMessage): Promise<string>
  /** The sender's name for people. */
  nameOf?(senderId: string): Promise<string | null>
  /** The accounts in a user group. Absent if the platform has none. */
  listGroup?(groupId: string): Promise<string[]>
  /** The bytes of a file that somebody attached. Absent if the platform does not hand out files. */
  fetchFile?(reference: FileReference): Promise<Buffer>
  /** What others wrote in a thread: the first message and the newest others. Absent if the platform does not let us read it. */
  readThread?(asked: ThreadQuestion): Promise<ThreadPage>
}

/** How the platform finds a file: by its address, or by its id. */
export type FileReference = { url: string | null; id: string | null }

export type AttachedFile = { name: string; sizeBytes: number | null; reference: FileReference }

export type ThreadQuestion = {
  channel: string
  thread: string
  /** The id up to which it was read before; null for the first time. */
  after: string | null
  /** The message that asks: what was said after it does not count. */
  before: string
  limit: number
}

/** Oldest first. */
export type ThreadPage = {
  messages: ThreadMessage[]
  /** How many are left out after the first message. */
  leftOut: number
  /** The id up to which the thread is read now. */
  until: string | null
}

type PlatformIdentity = {
  /** What the platform calls the workspace. */
  name: string
  /** What is needed to read its events: our own ids there. No secrets. */
  settings: Record<string, string>
}

/** Whether only invited people can read a channel. `unless-known`: not told this time, so assume it is. */
export type Privacy = boolean | 'unless-known'

/** `isPrivate` is absent on platforms that do not tell. */
export type PlatformChannel = { externalId: string; name: string; isPrivate?: boolean }

export type OutgoingPart = {
  channel: string
  /** The platform's id of the thread's first message. */
  thread: string | null
  text: string
  card: Card | null
  /** Ids of user groups in Slack. */
  mentions: readonly string[]
  /** The end of a reply, where people rate it on platforms with buttons for that. */
  isRated: boolean
  /** The run that a button of the message cancels, where the platform has buttons. */
  cancels: RunId | null
  /** The name under which the text is sent as a file, because it is longer than a message can be, or a large table. */
  file: string | null
  /** Unique to this part, and the same for every attempt to send it. */
  key: string
}

/** What a request from the platform contained, once its signature was verified. */
export type Received = {
  /** The immediate answer, as JSON; the events are stored first. */
  answer?: unknown
  events?: InboundEvent[]
  /** Channels that this request made known. */
  channels?: PlatformChannel[]
  /** A channel that has a new id on the platform. */
  moved?: { from: string; to: string }
  /** Somebody typed a command: its answer is for them alone, and goes where `answer` goes. */
  command?: ChatCommand
  /** The platform says that our token is no longer valid. */
  isRevoked?: boolean
}

export type ChatCommand = {
  name: 'status' | 'approvals' | 'link' | 'help'
  /** Who typed it. */
  senderId: string
}

export type InboundRequest = { body: Buffer; headers: Headers; now: Date }

type EventBase = {
  /** Unique within the workspace: a repeated delivery has the same key. */
  key: string
  /** `isForeign`: a member of another organisation, invited to one of our channels. */
  sender: { id: string; name: string | null; isForeign?: boolean }
  channel: {
    externalId: string
    name: string | null
    kind: 'channel' | 'direct'
    isPrivate?: Privacy
  }
  /** The message that this one replies to, or whose thread it is in; null at the top level. */
  thread: string | null
  /** What must be read in order, if that is more than a thread. */
  order?: string
  /** What the platform needs when we answer this event. */
  token?: string
}

export type InboundMessage = EventBase & {
  kind: 'message'
  externalId: string
  /** Markdown, with every mention of us written as @bellhop. */
  text: string
  addressed: boolean
  /** An app wrote it. It counts only where the channel is watched, and never calls the agent. */
  isApp?: true
  /** A command, which nobody else in the channel sees: it is posted there before it is answered. */
  isUnseen?: boolean
  /** What is attached, where the platform hands out files. */
  files?: AttachedFile[]
  /** The message that it answers, where the platform sends it along and it cannot be read later. */
  repliesTo?: ThreadMessage
}
export type InboundClick = EventBase & Choice & { kind: 'click' }
/** Somebody rated one of our messages, with a button or a reaction, or took the reaction back. */
export type InboundThumb = EventBase & {
  kind: 'thumb'
  /** The message, or a part of it. */
  externalId: string
  rating: Rating
  isWithdrawn?: boolean
}
export type InboundEvent = InboundMessage | InboundClick | InboundThumb
