import type { Connection } from '../../platforms/connection.ts'
import type { ChatCommand, Received } from '../../platforms/platform.ts'
import type { JsonSocket } from './open-json-socket.ts'

/** What a platform needs to resume a session. No secrets. */
export type ResumeState = Readonly<Record<string, string | number>>

/** What the holder of the connection provides. */
export type SessionHost = {
  /** `onFrame` is called as soon as a frame arrives; in `frames`, it waits for its turn. */
  open(url: string, onFrame: (frame: unknown) => void, headers?: Record<string, string>): Promise<JsonSocket>
  /** The session to resume; null begins a new one. */
  session: ResumeState | null
  /** Everything said until then is stored; null for the first connection. */
  seenUntil: Date | null
  /**
   * Stores events together with the session to resume after them. From then on everything before is stored, and the connection
   * counts as open. With null it only stores the events.
   */
  store(received: Received, session: ResumeState | null): Promise<void>
  /** The platform no longer knows the session. */
  forgetSession(): Promise<void>
  /** Known direct conversations, newest first. */
  listDirect(): Promise<string[]>
  /** Threads that we take part in, the latest first: their channel and first message. */
  listThreads(): Promise<{ channel: string; thread: string }[]>
  /** The answer to a command, for the person who typed it. */
  answerCommand(command: ChatCommand): Promise<string>
}

/** Why a session ended. */
export type SessionEnd =
  /** An ordinary end; the next connection follows soon, or after the pause that the platform asks for. */
  | { kind: 'again'; why: string; waitMs?: number }
  /** Retrying at once would not help: somebody must fix it. */
  | { kind: 'refused'; why: string }
  | { kind: 'revoked'; why: string }

/** From opening a connection to its end. May throw `PlatformError`. */
export type RunSession = (connection: Connection, host: SessionHost) => Promise<SessionEnd>
