import type { Db } from '../../platform/db/database.ts'
import { originOf } from '../../platform/http-server/origin-of.ts'
import type { ConnectorId } from '../../shared/ids.ts'
import { staysGranted } from '../auth/oauth-settings.ts'
import type { Draft } from '../manage/draft/draft.ts'
import { deleteGrant } from './grant-store.ts'

/** What was granted belongs to one origin, authorization server, client and resource. */
export async function forgetGrantIfOther(
  tx: Db,
  id: ConnectorId,
  before: Draft,
  after: Draft,
): Promise<void> {
  const isSame =
    before.authType === after.authType &&
    originOf(before.baseUrl) === originOf(after.baseUrl) &&
    staysGranted(before.oauth, after.oauth)
  if (!isSame) await deleteGrant(tx, id)
}
