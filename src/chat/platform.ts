import type { Card } from './chat.ts'
import type { Choice } from './read-choice.ts'

/**
 * One outside chat system, reached with the credentials of one workspace. It knows the platform's wire and nothing of
 * Bellhop's tables. Its calls throw `PlatformError`.
 */
export type Platform = {
  /** What one message may hold. */
  readonly maxLength: number
  /** Who we are there, by a call that needs the credentials. */
  identify(): Promise<PlatformIdentity>
  /** Tells the platform where its events go, where that is done by a call. */
  subscribe?(): Promise<void>
  listChannels(): Promise<PlatformChannel[]>
  /** For this long a second `send` with the same key gives the first message. */
  readonly repeatableMs?: number
  /** One attempt, no retries. */
  send(part: OutgoingPart): Promise<{ externalId: string }>
  /** Looks for a part that may have been sent since then. Absent where the platform gives no way to look. */
  look?(part: OutgoingPart, since: Date): Promise<{ externalId: string } | null>
  edit(part: OutgoingPart, externalId: string): Promise<void>
  link(channel: string, thread: string | null, externalId: string): Promise<string | null>
  showWorking?(channel: string, thread: string | null, note: string | null): Promise<void>
  /** Tells one person something that nobody else sees, where the platform can do that. */
  whisper(to: InboundEvent, text: string): Promise<void>
  /** The click did what it should; some platforms wait to be told. */
  acceptClick?(token: string): Promise<void>
  /** The name that people know the sender by. */
  nameOf?(senderId: string): Promise<string | null>
}

type PlatformIdentity = {
  /** What the platform calls the workspace. */
  name: string
  /** What must be remembered to read its events: our own ids there. No secrets. */
  settings: Record<string, string>
}

/** Whether only those can read a channel whom somebody let in. `unless-known`: not told this time, so better closed than open. */
export type Privacy = boolean | 'unless-known'

/** `isPrivate` is absent on platforms that do not tell. */
export type PlatformChannel = { externalId: string; name: string; isPrivate?: boolean }

export type OutgoingPart = {
  channel: string
  /** The platform's id of the message that the thread hangs on. */
  thread: string | null
  text: string
  card: Card | null
  /** The same for every attempt to send this part, and for no other part. */
  key: string
}

/** What a request of the platform turned out to be, once its signature was checked. */
export type Received = {
  /** What it is answered right away, as JSON; the events are stored before. */
  answer?: unknown
  events?: InboundEvent[]
  /** Channels that the platform let us know by this. */
  channels?: PlatformChannel[]
  /** A channel that has another name on the platform from now on. */
  moved?: { from: string; to: string }
  /** The platform says that our token no longer counts. */
  isRevoked?: boolean
}

export type InboundRequest = { body: Buffer; headers: Headers; now: Date }

type Happening = {
  /** Names this happening among all of the workspace: a repeated delivery has the same. */
  key: string
  /** `isForeign`: of another organisation, let into one of our channels. */
  sender: { id: string; name: string | null; isForeign?: boolean }
  channel: {
    externalId: string
    name: string | null
    kind: 'channel' | 'direct'
    isPrivate?: Privacy
  }
  /** The message that this one answers or whose thread it is in; null when it is at the top level. */
  thread: string | null
  /** What must be read in order, where that is more than a thread. */
  order?: string
  /** What the platform wants to see again when we answer to this. */
  token?: string
}

export type InboundMessage = Happening & {
  kind: 'message'
  externalId: string
  /** Markdown, with every mention of us written as @bellhop. */
  text: string
  addressed: boolean
}
export type InboundClick = Happening & Choice & { kind: 'click' }
export type InboundEvent = InboundMessage | InboundClick
