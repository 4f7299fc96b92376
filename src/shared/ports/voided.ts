import type { Db } from '../../platform/db/database.ts'
import type { Role } from '../actor.ts'
import type { ChannelId, ConnectorId, RunId, SourceId, WorkspaceId } from '../ids.ts'
import type { Scope } from '../scope.ts'

/** Which pending approvals an edit makes void. */
export type Voided =
  /** The connector or one of its tools was edited: what was asked about is no longer what would be sent. */
  | { connectorId: ConnectorId }
  | { runIds: readonly RunId[] }
  /** A person or API key has this role now, null if none: what they may no longer ask for. */
  | { requesterId: string; role: Role | null }
  /** Requests of this webhook or schedule, or of people in its threads, that exceed its scope; a null scope voids all of its own. */
  | { sourceId: SourceId; scope: Scope | null }
  /** Requests made in this channel for connectors that its list no longer has. */
  | { channelId: ChannelId; list: ConnectorId[] | null }
  | { gone: ChannelId | WorkspaceId }

/** In the transaction of the edit: after it, no click can approve what the edit changed. The slice `approvals` does it. */
export type VoidApprovals = (tx: Db, of: Voided) => Promise<void>
