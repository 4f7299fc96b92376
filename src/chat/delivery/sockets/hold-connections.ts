import { randomUUID } from 'node:crypto'
import { repeat } from '../../../platform/repeat.ts'
import type { WorkspaceId } from '../../../shared/ids.ts'
import { connectionOf } from '../../workspaces/contract.ts'
import {
  fingerprintOf,
  loadSession,
  openWorkspace,
  type PlatformContext,
} from '../../workspaces/open-platform.ts'
import { listSocketWorkspaces, type WorkspaceRow } from '../../workspaces/store.ts'
import { type HoldContext, holdConnection } from './hold-connection.ts'
import { releaseConnection, renewConnections, takeConnection } from './store.ts'

type Context = HoldContext & PlatformContext
type Opened = ReturnType<typeof openWorkspace<WorkspaceRow>>

const turnMs = 1000

function usesSocket(workspace: Opened): boolean {
  const { platform, isWhole } = workspace
  return isWhole && platform !== 'built-in' && connectionOf(platform, workspace) === 'socket'
}

/**
 * Some platforms send events over a connection that we open. One process holds it and renews its lease in the database every
 * second. When the lease expires, another process takes over with the stored session.
 */
export function holdConnections(ctx: Context): AsyncDisposable {
  const holder = randomUUID()
  const held = new Map<WorkspaceId, { of: string; holding: AsyncDisposable }>()

  const leaving = new Set<Promise<void>>()

  /** Not awaited: the other connections must be renewed meanwhile. */
  function release(id: WorkspaceId): void {
    const { holding } = held.get(id) ?? {}
    held.delete(id)
    const gone = leave(id, holding).finally(() => leaving.delete(gone))
    leaving.add(gone)
  }

  async function leave(id: WorkspaceId, holding: AsyncDisposable | undefined): Promise<void> {
    await holding?.[Symbol.asyncDispose]()
    await releaseConnection(ctx.db, id, holder).catch((error: unknown) =>
      ctx.log.warn({ err: error, workspaceId: id }, 'chat.connection_not_released'),
    )
  }

  async function take(workspace: Opened): Promise<void> {
    if (!(await takeConnection(ctx.db, workspace.id, holder))) return
    const of = fingerprintOf(workspace)
    const { connection, runSession } = await loadSession(ctx, workspace)
    const holding = holdConnection(ctx, { workspaceId: workspace.id, holder, of, connection, runSession })
    held.set(workspace.id, { of, holding })
  }

  const turning = repeat('chat.connections', turnMs, ctx.log, async () => {
    const opened = (await listSocketWorkspaces(ctx.db)).map((row) => openWorkspace(ctx, row))
    const wanted = new Map(opened.filter(usesSocket).map((workspace) => [workspace.id, workspace]))
    const ours = held.size > 0 ? await renewConnections(ctx.db, holder) : new Set()
    for (const [id, { of }] of held) {
      const workspace = wanted.get(id)
      if (!ours.has(id) || !workspace || of !== fingerprintOf(workspace)) release(id)
    }
    for (const workspace of wanted.values()) {
      if (!held.has(workspace.id)) await take(workspace)
    }
  })

  return {
    async [Symbol.asyncDispose]() {
      await turning[Symbol.asyncDispose]()
      for (const id of held.keys()) release(id)
      await Promise.all(leaving)
    },
  }
}
