import type { Egress } from '../../../platform/egress/open-egress.ts'
import type { ConnectorId } from '../../../shared/ids.ts'
import type { McpServer } from '../mcp-server.ts'
import { type McpSession, openMcpSession } from './open-session.ts'

type Context = {
  egress: Egress
  /** The server announced that its list has changed. */
  onToolsChanged(connectorId: ConnectorId): void
}

type Key = { id: ConnectorId; version: number }

/** A session is lent to one caller at a time. */
export type AcquiredSession = { session: McpSession; isFresh: boolean; release(): void; discard(): void }

export type McpSessions = AsyncDisposable & {
  /** An idle session, or a new one. `fresh` asks for a new one. */
  acquire(key: Key, server: McpServer, how?: { fresh?: boolean }): Promise<AcquiredSession>
  /** Ends the idle sessions of a connector that is gone. */
  forget(id: ConnectorId): void
}

const idleMs = 5 * 60_000
const idlePerConnector = 3

/** Keeps sessions open for the next call, and to hear of changes. Each belongs to one version of its connector. */
export function openMcpSessions(ctx: Context): McpSessions {
  const idle = new Map<ConnectorId, { session: McpSession; version: number; since: number }[]>()
  const inUse = new Set<McpSession>()
  const closing = new Set<Promise<void>>()

  function close(session: McpSession): void {
    inUse.delete(session)
    const closed = Promise.resolve(session[Symbol.asyncDispose]()).finally(() => closing.delete(closed))
    closing.add(closed)
  }

  function takeIdle({ id, version }: Key): McpSession | null {
    const free = idle.get(id) ?? []
    for (let entry = free.pop(); entry; entry = free.pop()) {
      if (entry.version === version && entry.session.isAlive()) return entry.session
      close(entry.session)
    }
    return null
  }

  const sweep = setInterval(() => {
    const before = performance.now() - idleMs
    for (const [id, free] of idle) {
      for (const { session, since } of free) if (since < before || !session.isAlive()) close(session)
      const kept = free.filter(({ session, since }) => since >= before && session.isAlive())
      if (kept.length > 0) idle.set(id, kept)
      else idle.delete(id)
    }
  }, 30_000)
  sweep.unref()

  return {
    async acquire(key, server, { fresh = false } = {}) {
      const kept = fresh ? null : takeIdle(key)
      const session = kept ?? (await openMcpSession(ctx, server, () => ctx.onToolsChanged(key.id)))
      inUse.add(session)
      return {
        session,
        isFresh: kept === null,
        release() {
          inUse.delete(session)
          const free = idle.get(key.id) ?? []
          if (!session.isAlive() || free.length >= idlePerConnector) return close(session)
          free.push({ session, version: key.version, since: performance.now() })
          idle.set(key.id, free)
        },
        discard: () => close(session),
      }
    },
    forget(id) {
      for (const { session } of idle.get(id) ?? []) close(session)
      idle.delete(id)
    },
    async [Symbol.asyncDispose]() {
      clearInterval(sweep)
      for (const free of idle.values()) for (const { session } of free) close(session)
      idle.clear()
      for (const session of inUse) close(session)
      await Promise.allSettled(closing)
    },
  }
}
