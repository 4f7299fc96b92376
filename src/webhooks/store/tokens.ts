import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { problem } from '../../http/problems.ts'
import { hashToken } from '../../platform/crypto/token.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { Secret } from '../../platform/secret.ts'
import type { WebhookId } from '../../shared/ids.ts'
import type { DeliveryIdSource, RateLimit, VerificationSettings } from '../contract.ts'
import { tokenHint } from '../manage/token.ts'
import type { WebhookState } from '../manage/webhook-state.ts'
import { rateLimit } from './webhooks.ts'

const tokenPlace = (hash: string) => ({ table: 'webhook_tokens', row: hash, column: 'sealed' })
const secretPlace = (id: string) => ({ table: 'webhook_secrets', row: id, column: 'sealed' })

export async function insertToken(db: Db, vault: Vault, webhookId: WebhookId, token: string): Promise<void> {
  const hash = hashToken(token)
  await sql`
    insert into webhook_tokens (hash, webhook_id, sealed, hint)
    values (${hash}, ${webhookId}, ${vault.seal(new Secret(token), tokenPlace(hash))}, ${tokenHint(token)})`.execute(
    db,
  )
}

/** Sets when the current tokens expire. One that expires sooner keeps its time. */
export async function expireTokens(db: Db, webhookId: WebhookId, overlapSeconds: number): Promise<void> {
  await sql`
    update webhook_tokens
    set expires_at = least(expires_at, clock_timestamp() + make_interval(secs => ${overlapSeconds}))
    where webhook_id = ${webhookId}`.execute(db)
}

/**
 * The URL that people are given: the one token that does not expire. Every webhook has one until it is deleted. Times of creation
 * would not do, since rotations may begin at the same moment.
 */
export async function revealToken(db: Db, vault: Vault, webhookId: WebhookId): Promise<Secret> {
  const { rows } = await sql<{ hash: string; sealed: string }>`
    select hash, sealed from webhook_tokens
    where webhook_id = ${webhookId} and sealed is not null and expires_at is null`.execute(db)
  const [token] = rows
  if (!token) throw new Error(`Webhook ${webhookId} has no URL.`)
  const opened = vault.openIfKeyIsKnown(token.sealed, tokenPlace(token.hash))
  if (opened) return opened
  throw problem(
    'invalid-request',
    'The URL still works but cannot be shown, because the encryption key of its stored copy is gone. Rotate the URL to get a new one.',
  )
}

/** After deletion nothing needs to be decrypted again; the hashes stay, so that the URLs can answer that they are gone. */
export async function forgetSecretsOf(db: Db, webhookId: WebhookId): Promise<void> {
  await sql`update webhook_tokens set sealed = null where webhook_id = ${webhookId}`.execute(db)
  await sql`delete from webhook_secrets where webhook_id = ${webhookId}`.execute(db)
}

export async function replaceSecrets(
  db: Db,
  vault: Vault,
  webhookId: WebhookId,
  secrets: readonly Secret[],
): Promise<void> {
  await sql`delete from webhook_secrets where webhook_id = ${webhookId}`.execute(db)
  for (const [position, secret] of secrets.entries()) {
    const id = randomUUID()
    await sql`
      insert into webhook_secrets (id, webhook_id, position, sealed)
      values (${id}, ${webhookId}, ${position}, ${vault.seal(secret, secretPlace(id))})`.execute(db)
  }
}

/** Without those that cannot be opened any more. */
export async function listSecrets(db: Db, vault: Vault, webhookId: WebhookId): Promise<Secret[]> {
  const { rows } = await sql<{ id: string; sealed: string }>`
    select id, sealed from webhook_secrets where webhook_id = ${webhookId} order by position`.execute(db)
  return rows.flatMap((secret) => openSecret(vault, secret) ?? [])
}

export type TokenUse = { hash: string; at: string; source: string }

export async function recordTokenUse(db: Db, uses: readonly TokenUse[]): Promise<void> {
  await sql`
    update webhook_tokens k set last_used_at = u.at, last_used_from = u.source
    from json_to_recordset(${JSON.stringify(uses)}) as u (hash text, at timestamptz, source text)
    where k.hash = u.hash`.execute(db)
}

export type FoundToken = {
  hash: string
  webhookId: WebhookId
  /** How much longer it works, by the database's clock; null for the current URL. */
  openMs: number | null
  /** A newer URL exists; this one works only during the overlap of a rotation. */
  isFormer: boolean
  state: WebhookState
  verification: VerificationSettings | null
  exposeHeaders: string[]
  deliveryId: DeliveryIdSource | null
  rateLimit: RateLimit | null
  maxBodyBytes: number
  secrets: { id: string; sealed: string }[]
}

export async function listTokens(db: Db, hashes: readonly string[]): Promise<FoundToken[]> {
  const { rows } = await sql<FoundToken>`
    select k.hash, k.webhook_id, w.state, w.verification, w.expose_headers, w.delivery_id,
           ${rateLimit}, w.max_body_bytes,
           k.expires_at is not null as is_former, extract(epoch from k.expires_at - clock_timestamp())::float8 * 1000 as open_ms,
           (select coalesce(json_agg(json_build_object('id', s.id, 'sealed', s.sealed) order by s.position), '[]')
            from webhook_secrets s where s.webhook_id = k.webhook_id) as secrets
    from webhook_tokens k join webhooks w on w.id = k.webhook_id
    where k.hash = any (${hashes})`.execute(db)
  return rows
}

/** Null if it cannot be opened any more. */
export function openSecret(vault: Vault, secret: { id: string; sealed: string }): Secret | null {
  return vault.openIfKeyIsKnown(secret.sealed, secretPlace(secret.id))
}
