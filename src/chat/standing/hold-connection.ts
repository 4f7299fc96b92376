import { setTimeout as pause } from 'node:timers/promises'
import type { WorkspaceId } from '../../ids.ts'
import type { JobQueue } from '../../jobs.ts'
import { asError } from '../../platform/as-error.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import type { Log } from '../../platform/log.ts'
import { listDirect } from '../channels/store.ts'
import type { Connection } from '../connection.ts'
import { keepEvents } from '../inbound/keep-events.ts'
import { PlatformError } from '../platform-error.ts'
import { noteError, noteRevoked } from '../workspaces/store.ts'
import type { Call, Converse, Ending } from './converse.ts'
import { openLine } from './open-line.ts'
import { forgetSession, markClosed, readLeft, saveSession } from './store.ts'

export type HoldContext = {
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
  converse: Converse
}

const longestWaitMs = 60_000
const mostDirect = 100

/** Keeps a connection to the platform open, reconnecting until it is stopped. */
export function holdConnection(ctx: HoldContext, held: Held): AsyncDisposable {
  const stopping = new AbortController()
  const { signal } = stopping
  const { workspaceId, holder } = held

  async function goOn(): Promise<void> {
    for (let failures = 0; !signal.aborted; failures++) {
      const call = { wasOpen: false }
      const ending = await converseOnce(call).catch(asEnding)
      if (signal.aborted) return
      await markClosed(ctx.db, workspaceId, holder).catch(() => undefined)
      if (call.wasOpen) failures = 0
      ctx.log.info({ workspaceId, ...ending }, 'chat.connection_ended')
      await tellAdmins(ending, failures).catch(() => undefined)
      await pause(waitMs(ending, failures), undefined, { signal }).catch(() => undefined)
    }
  }

  async function converseOnce(state: { wasOpen: boolean }): Promise<Ending> {
    const left = await readLeft(ctx.db, workspaceId)
    const call: Call = {
      open: (url, heard, headers = {}) =>
        openLine(ctx, url, { purpose: `workspace ${workspaceId}`, signal, headers, heard }),
      session: left.session?.of === held.of ? left.session : null,
      seenUntil: left.seenUntil,
      async keep(received, session) {
        await ctx.db.transaction().execute(async (tx) => {
          if (received.events || received.channels) await keepEvents(ctx, tx, workspaceId, received)
          if (session && !(await saveSession(tx, workspaceId, holder, { ...session, of: held.of })))
            throw new Error('Another process holds this connection.')
        })
        if (session) state.wasOpen = true
      },
      forget: () => forgetSession(ctx.db, workspaceId, holder),
      listDirect: () => listDirect(ctx.db, workspaceId, mostDirect),
    }
    return held.converse({ ...held.connection, fetch: fetchUntilStopped }, call)
  }

  /** Fetching what was missed may take many requests; a shutdown does not wait for all of them. */
  const fetchUntilStopped: Connection['fetch'] = async (...asked) => {
    signal.throwIfAborted()
    return held.connection.fetch(...asked)
  }

  /** A transient failure is shown only if it lasts. */
  async function tellAdmins(ending: Ending, failures: number): Promise<void> {
    if (ending.kind === 'revoked') await noteRevoked(ctx.db, workspaceId, ending.why)
    else if (ending.kind === 'refused' || failures >= 2) await noteError(ctx.db, workspaceId, ending.why)
  }

  const holding = goOn()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await holding
    },
  }
}

function asEnding(error: unknown): Ending {
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
function waitMs(ending: Ending, failures: number): number {
  if (ending.kind !== 'again') return longestWaitMs
  if (ending.waitMs !== undefined) return ending.waitMs
  return Math.min(longestWaitMs, 500 * 2 ** failures) * (0.5 + Math.random() / 2)
}
