import { sql } from 'kysely'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { Secret } from '../../platform/secret.ts'
import { firstIdAt, type WebhookId } from '../../shared/ids.ts'

/** What a sender sent, exactly. Nobody has proved who it was, and its headers may hold credentials, so it is kept sealed. */
export type RefusedRequest = { url: string; rawHeaders: readonly string[]; body: Buffer }

const largestBodyBytes = 64 * 1024
const keptOfWebhook = 10

const place = (row: string) => ({ table: 'refusals', row, column: 'sealed_request' })

/** Null if it is too large to be kept. */
export function sealRequest(vault: Vault, refusalId: string, request: RefusedRequest): string | null {
  const { url, rawHeaders, body } = request
  if (body.length > largestBodyBytes) return null
  return vault.seal(new Secret(JSON.stringify([url, rawHeaders, body.toString('base64')])), place(refusalId))
}

/** Null if it is not kept, or cannot be opened any more. */
export async function openRequest(
  db: Db,
  vault: Vault,
  webhookId: WebhookId,
  refusalId: string,
): Promise<RefusedRequest | null> {
  const { rows } = await sql<{ sealed: string }>`
    select sealed_request as sealed from refusals
    where id = ${refusalId} and webhook_id = ${webhookId} and sealed_request is not null`.execute(db)
  const opened = rows[0] ? vault.openIfKeyIsKnown(rows[0].sealed, place(refusalId)) : null
  if (!opened) return null
  // Written by `sealRequest`.
  const [url, rawHeaders, body] = JSON.parse(opened.reveal()) as [string, string[], string]
  return { url, rawHeaders, body: Buffer.from(body, 'base64') }
}

/** Of each of these webhooks the last few stay. */
export async function forgetFormerRequests(db: Db, webhookIds: readonly WebhookId[]): Promise<void> {
  await sql`
    update refusals r set sealed_request = null from unnest(${webhookIds}::text[]) as w (id)
    where r.webhook_id = w.id and r.sealed_request is not null and r.id <= (
      select o.id from refusals o where o.webhook_id = w.id and o.sealed_request is not null
      order by o.id desc offset ${keptOfWebhook} limit 1)`.execute(db)
}

export async function forgetRequestsOf(db: Db, webhookId: WebhookId): Promise<void> {
  await sql`
    update refusals set sealed_request = null
    where webhook_id = ${webhookId} and sealed_request is not null`.execute(db)
}

export async function forgetRequests(db: Db, before: Date): Promise<void> {
  await sql`
    update refusals set sealed_request = null
    where sealed_request is not null and id < ${firstIdAt('refusal', before)}`.execute(db)
}
