import { setTimeout as pause } from 'node:timers/promises'
import type { JobQueue } from '../../../jobs.ts'
import { asError } from '../../../platform/as-error.ts'
import type { Db } from '../../../platform/db/database.ts'
import type { Egress } from '../../../platform/egress/open-egress.ts'
import type { Log } from '../../../platform/log.ts'
import type { WorkspaceId } from '../../../shared/ids.ts'
import { listDirect } from '../../channels/store.ts'
import type { Connection } from '../../platforms/connection.ts'
import { PlatformError } from '../../platforms/platform-error.ts'
import { listThreads } from '../../threads/store.ts'
import { recordError, recordRevoked } from '../../workspaces/store.ts'
import { answerCommand, type CommandContext } from '../inbound/answer-command.ts'
import { storeEvents } from '../inbound/store-events.ts'
import { openJsonSocket } from './open-json-socket.ts'
import type { RunSession, SessionEnd, SessionHost } from './run-session.ts'
import { forgetSession, markClosed, readSession, saveSession } from './store.ts'

export type HoldContext = CommandContext & {
  db: Db
  queue: JobQueue
  egress: Pick<Egress, 'openSocket'>
  log: Log
  now: () => Date
}

type Held = {
  workspaceId: WorkspaceId
  /** The id of this process for others. */
  holder: string
  /** A session is valid only for the credentials it was begun with. */
  of: string
  connection: Connection
  runSession: RunSession
}

const maxWaitMs = 60_000
const maxDirect = 100
const maxThreads = 100

/** Keeps a connection to the platform open, reconnecting until it is stopped. */
export function holdConnection(ctx: HoldContext, held: Held): AsyncDisposable {
  const stopping = new AbortController()
  const { signal } = stopping
  const { workspaceId, holder } = held

  async function reconnectForever(): Promise<void> {
    for (let failures = 0; !signal.aborted; failures++) {
      const state = { wasOpen: false }
      const ending = await runOnce(state).catch(asSessionEnd)
      if (signal.aborted) return
      await markClosed(ctx.db, workspaceId, holder).catch(() => undefined)
      if (state.wasOpen) failures = 0
      ctx.log.info({ workspaceId, ...ending }, 'chat.connection_ended')
      await recordEnd(ending, failures).catch(() => undefined)
      await pause(waitMs(ending, failures), undefined, { signal }).catch(() => undefined)
    }
  }

  async function runOnce(state: { wasOpen: boolean }): Promise<SessionEnd> {
    const stored = await readSession(ctx.db, workspaceId)
    const host: SessionHost = {
      open: (url, onFrame, headers = {}) =>
        openJsonSocket(ctx, url, { purpose: `workspace ${workspaceId}`, signal, headers, onFrame }),
      session: stored.session?.of === held.of ? stored.session : null,
      seenUntil: stored.seenUntil,
      async store(received, session) {
        await ctx.db.transaction().execute(async (tx) => {
          if (received.events || received.channels) await storeEvents(ctx, tx, workspaceId, received)
          if (session && !(await saveSession(tx, workspaceId, holder, { ...session, of: held.of })))
            throw new Error('Another process holds this connection.')
        })
        if (session) state.wasOpen = true
      },
      forgetSession: () => forgetSession(ctx.db, workspaceId, holder),
      listDirect: () => listDirect(ctx.db, workspaceId, maxDirect),
      listThreads: () => listThreads(ctx.db, workspaceId, maxThreads),
      answerCommand: (command) => answerCommand(ctx, workspaceId, command),
    }
    return held.runSession({ ...held.connection, fetch: fetchUntilStopped }, host)
  }

  /** Fetching what was missed may take many requests; a shutdown does not wait for all of them. */
  const fetchUntilStopped: Connection['fetch'] = async (...asked) => {
    signal.throwIfAborted()
    return held.connection.fetch(...asked)
  }

  /** A transient failure is shown only if it lasts. */
  async function recordEnd(ending: SessionEnd, failures: number): Promise<void> {
    if (ending.kind === 'revoked') await recordRevoked(ctx.db, workspaceId, ending.why)
    else if (ending.kind === 'refused' || failures >= 2) await recordError(ctx.db, workspaceId, ending.why)
  }

  const holding = reconnectForever()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await holding
    },
  }
}

function asSessionEnd(error: unknown): SessionEnd {
  const why = asError(error).message
  if (!(error instanceof PlatformError)) return { kind: 'again', why }
  switch (error.kind) {
    case 'revoked':
    case 'refused':
      return { kind: error.kind, why }
    case 'rate-limited':
      return { kind: 'again', why, waitMs: error.retryAfterMs ?? 1000 }
    case 'down':
    case 'uncertain':
      return { kind: 'again', why }
    default:
      throw new Error(`Unhandled fault ${error.kind satisfies never}`)
  }
}

/** At once after a successful connection; otherwise with growing pauses, and with jitter between processes. */
function waitMs(ending: SessionEnd, failures: number): number {
  if (ending.kind !== 'again') return maxWaitMs
  if (ending.waitMs !== undefined) return ending.waitMs
  return Math.min(maxWaitMs, 500 * 2 ** failures) * (0.5 + Math.random() / 2)
}
