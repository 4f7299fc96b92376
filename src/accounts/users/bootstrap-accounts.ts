import type { Db } from '../../platform/db/database.ts'
import { isLoopback } from '../../platform/http-server/is-loopback.ts'
import type { Log } from '../../platform/log.ts'
import type { Secret } from '../../platform/secret.ts'
import { systemActor } from '../../shared/actor.ts'
import { recordAudit } from '../audit-log/record-audit.ts'
import { hashPassword } from '../signing-in/password.ts'
import { insertApiKey, removeFormerApiKeys } from '../store/api-keys.ts'
import { adminExists, findUserByEmail, insertUser, lockUsers, updateUser } from '../store/users.ts'
import { findFreeName } from './taken-names.ts'

type Context = { db: Db; log: Log; publicUrl: string }
type Settings = { admin: { email: string; password: Secret } | null; apiKey: Secret | null }

/**
 * Creates the first admin and the first key that the environment asks for. Safe at every start and in every replica.
 */
export async function bootstrapAccounts(ctx: Context, settings: Settings): Promise<void> {
  if (settings.apiKey) await ensureApiKey(ctx.db, settings.apiKey)
  if (settings.admin) await ensureAdmin(ctx.db, settings.admin)
  const address = new URL(ctx.publicUrl)
  if (address.protocol === 'http:' && !isLoopback(address)) {
    ctx.log.warn(
      { publicUrl: ctx.publicUrl },
      'Sign-in uses plain http: anyone on the network path can read passwords. Put TLS in front and set PUBLIC_URL to its https address.',
    )
  }
}

/** The variable holds one key: when it changes, the former key stops working. */
async function ensureApiKey(db: Db, key: Secret): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const maker = { createdBy: 'environment', createdById: systemActor.id }
    const facts = { name: 'API_KEY', role: 'admin', ...maker, fromEnvironment: true } as const
    const created = await insertApiKey(tx, key.reveal(), facts)
    if (created) await recordAudit(tx, { actor: systemActor, action: 'api-key.created', subject: created.id })
    for (const { id, name } of await removeFormerApiKeys(tx, key.reveal())) {
      await recordAudit(tx, { actor: systemActor, action: 'api-key.revoked', subject: id, detail: { name } })
    }
  })
}

/** Only when there is no admin: later the dashboard decides, not a variable that was left set. */
async function ensureAdmin(db: Db, { email, password }: { email: string; password: Secret }): Promise<void> {
  if (await adminExists(db)) return
  const passwordHash = await hashPassword(password.reveal())
  await db.transaction().execute(async (tx) => {
    await lockUsers(tx)
    if (await adminExists(tx)) return
    const known = await findUserByEmail(tx, email)
    const admin = known
      ? await updateUser(tx, known.id, { role: 'admin', disabled: false, passwordHash })
      : await insertUser(tx, {
          email,
          name: await findFreeName(tx, email.split('@')[0] ?? email),
          role: 'admin',
          passwordHash,
        })
    await recordAudit(tx, {
      actor: systemActor,
      action: 'user.created',
      subject: admin?.id,
      detail: { role: 'admin', from: 'ADMIN_EMAIL' },
    })
  })
}
