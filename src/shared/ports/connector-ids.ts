import type { Db } from '../../platform/db/database.ts'
import type { ConnectorId } from '../ids.ts'

/**
 * Throws a Problem about `/connectorIds` if one of the ids belongs to no connector. Those in `listed` may belong to deleted ones.
 * The slice `connectors` implements it; webhooks, channels and replays have such lists.
 */
export type RefuseMissingConnectors = (
  db: Db,
  ids: readonly ConnectorId[] | null,
  listed?: readonly ConnectorId[] | null,
) => Promise<void>
