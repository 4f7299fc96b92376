import type { Connection } from '../connection.ts'
import type { Received } from '../platform.ts'
import type { Line } from './open-line.ts'

/** What a platform wants to hear again so that it goes on where it was. No secrets. */
export type Session = Readonly<Record<string, string | number>>

/** What a conversation needs of the one who holds the connection. */
export type Call = {
  /** `heard` is told of a frame when it arrives; in the line it waits for its turn. */
  open(url: string, heard: (frame: unknown) => void, headers?: Record<string, string>): Promise<Line>
  /** How the conversation before was left; null begins a new one. */
  session: Session | null
  /** All that was said until then is stored; null at the very first time. */
  seenUntil: Date | null
  /**
   * Stores events, and with them how to go on after them: from here on, all that came before is ours, and the connection
   * counts as open. With null it only stores.
   */
  keep(received: Received, session: Session | null): Promise<void>
  /** The platform does not know the session any more. */
  forget(): Promise<void>
  /** Direct conversations that are known, newest first. */
  listDirect(): Promise<string[]>
}

/** Why a conversation ended. */
export type Ending =
  /** As connections end; the next one follows soon, or after what the platform asks for. */
  | { kind: 'again'; why: string; waitMs?: number }
  /** Trying again at once would change nothing: somebody has to mend it. */
  | { kind: 'refused'; why: string }
  | { kind: 'revoked'; why: string }

/** From the opening of a connection to its end. May throw `PlatformError`. */
export type Converse = (connection: Connection, call: Call) => Promise<Ending>
