import type { Db } from '../platform/db/database.ts'
import type { Actor } from './actor.ts'

/** What happened, as `noun.verb`: `webhook.created`, `approval.denied`, `egress.refused`. */
type AuditEntry = {
  actor: Actor
  action: `${string}.${string}`
  /** The id of what it happened to. */
  subject?: string
  /** The caller's address, where there is one. */
  source?: string
  /** Facts for the reader; never a secret. */
  detail?: Record<string, unknown>
}

/** Writes in the caller's transaction, so that a change and its audit entry are committed together or not at all. */
export type Audit = (db: Db, entry: AuditEntry) => Promise<void>
