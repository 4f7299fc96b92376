import { newToken } from '../../platform/crypto/token.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Caller, Role } from '../../shared/actor.ts'
import { recordAudit } from '../audit-log/record-audit.ts'
import type { ApiKey } from '../contract.ts'
import { insertApiKey, toApiKey } from '../store/api-keys.ts'

type Context = { db: Db }

/** Only this answer contains the key itself. */
export async function createApiKey(
  { db }: Context,
  caller: Caller,
  { name, role }: { name: string; role: Role },
): Promise<ApiKey & { key: string }> {
  const key = newToken('blh_')
  return db.transaction().execute(async (tx) => {
    const maker = { createdBy: caller.actor.name, createdById: caller.actor.id }
    const created = await insertApiKey(tx, key, { name, role, ...maker })
    if (!created) throw new Error('Two random keys were the same.')
    await recordAudit(tx, {
      ...caller,
      action: 'api-key.created',
      subject: created.id,
      detail: { name, role },
    })
    return { ...toApiKey(created), key }
  })
}
