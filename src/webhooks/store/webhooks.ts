import { sql } from 'kysely'
import type { Collect, Rule } from '../../events/rules/contract.ts'
import { allOf } from '../../platform/db/all-of.ts'
import type { Db } from '../../platform/db/database.ts'
import { notifyInTransaction } from '../../platform/db/notify.ts'
import { publishChange } from '../../shared/changes.ts'
import { channelName } from '../../shared/display-names.ts'
import type { ChannelId, ConnectorId, WebhookId } from '../../shared/ids.ts'
import type { ReadsAcross, Scope } from '../../shared/scope.ts'
import type { DeliveryIdSource, RateLimit, VerificationSettings } from '../contract.ts'
import type { WebhookState } from '../manage/webhook-state.ts'

/** The notification channel for changed webhooks, so that other processes drop what they cached. */
export const webhookChanged = 'webhook_changed'

export type WebhookFields = {
  name: string
  channelId: ChannelId
  prompt: string
  state: WebhookState
  ceiling: Scope['ceiling']
  connectorIds: ConnectorId[] | null
  readsAcross: ReadsAcross
  verification: VerificationSettings | null
  exposeHeaders: string[]
  deliveryId: DeliveryIdSource | null
  rateLimit: RateLimit | null
  maxBodyBytes: number
  concurrency: number
  allowSilence: boolean
  model: { provider: string; name: string } | null
  fallbackModel: { provider: string; name: string } | null
  runsPerHour: number | null
  costPerDay: number | null
  rules: Rule[]
  threadKey: string | null
  threadDays: number
  collect: Collect | null
}

export type WebhookRow = WebhookFields & {
  id: WebhookId
  channelName: string | null
  pausedAt: Date | null
  pauseReason: string | null
  concurrencyReached: boolean
  createdAt: Date
  updatedAt: Date
  accepted: number
  refused: number
  lastEventAt: Date | null
  lastRefusedAt: Date | null
  /** The id of the key that sealed each secret. */
  secretKeys: string[]
  tokens: { hint: string; expiresAt: string | null; lastUsedAt: string | null; lastUsedFrom: string | null }[]
}

/** For a webhook (as `w`). */
export const rateLimit = sql`
  case when w.rate_per_second is not null
    then json_build_object('perSecond', w.rate_per_second, 'burst', w.rate_burst) end as rate_limit`

/** Events of a webhook (as `w`) wait, and its own limit is why. A run that waits for people takes no place. */
const concurrencyReached = sql`
  w.paused_at is null and exists (select from events e where e.source_id = w.id and e.status = 'accepted')
    and w.concurrency <= (select count(*) from events e
                          where e.source_id = w.id and e.status = 'dispatched' and not e.parked)`

const columns = sql`
  w.id, w.name, w.channel_id, ${channelName(sql`w.channel_id`, { seesPrivate: true })} as channel_name, w.prompt, w.state, w.ceiling, w.connector_ids, w.reads_across, w.verification, w.expose_headers,
  w.delivery_id, ${rateLimit}, w.max_body_bytes, w.concurrency, w.allow_silence, w.model, w.fallback_model,
  w.runs_per_hour, w.cost_per_day, coalesce(w.rules, '[]') as rules, w.thread_key, w.thread_days, w.collect, w.paused_at, w.pause_reason,
  ${concurrencyReached} as concurrency_reached, w.created_at, w.updated_at,
  t.accepted::float8 as accepted, t.refused::float8 as refused, t.last_event_at, t.last_refused_at,
  array(select split_part(s.sealed, '.', 2) from webhook_secrets s where s.webhook_id = w.id) as secret_keys,
  (select coalesce(json_agg(json_build_object('hint', k.hint, 'expiresAt', k.expires_at, 'lastUsedAt', k.last_used_at,
                                              'lastUsedFrom', k.last_used_from)
                           order by (k.expires_at is null) desc, k.created_at desc), '[]')
   from webhook_tokens k where k.webhook_id = w.id and (k.expires_at is null or k.expires_at > now())) as tokens`

export async function insertWebhook(
  db: Db,
  id: WebhookId,
  of: WebhookFields,
  createdBy: string,
): Promise<void> {
  await sql`
    insert into webhooks (id, name, channel_id, prompt, state, ceiling, connector_ids, reads_across, verification, expose_headers,
                          delivery_id, rate_per_second, rate_burst, max_body_bytes, concurrency, allow_silence, model, fallback_model,
                          runs_per_hour, cost_per_day, rules, thread_key, thread_days, collect, created_by)
    values (${id}, ${of.name}, ${of.channelId}, ${of.prompt}, ${of.state}, ${of.ceiling}, ${json(of.connectorIds)},
            ${of.readsAcross}, ${json(of.verification)}, ${json(of.exposeHeaders)}, ${json(of.deliveryId)}, ${of.rateLimit?.perSecond ?? null},
            ${of.rateLimit?.burst ?? null}, ${of.maxBodyBytes}, ${of.concurrency}, ${of.allowSilence}, ${json(of.model)}, ${json(of.fallbackModel)},
            ${of.runsPerHour}, ${of.costPerDay}, ${rulesOrNull(of)}, ${of.threadKey}, ${of.threadDays}, ${json(of.collect)}, ${createdBy})`.execute(
    db,
  )
}

export async function updateWebhook(db: Db, id: WebhookId, of: WebhookFields): Promise<void> {
  await sql`
    update webhooks
    set name = ${of.name}, channel_id = ${of.channelId}, prompt = ${of.prompt}, state = ${of.state},
        ceiling = ${of.ceiling}, connector_ids = ${json(of.connectorIds)}, reads_across = ${of.readsAcross}, verification = ${json(of.verification)},
        expose_headers = ${json(of.exposeHeaders)}, delivery_id = ${json(of.deliveryId)},
        rate_per_second = ${of.rateLimit?.perSecond ?? null}, rate_burst = ${of.rateLimit?.burst ?? null}, max_body_bytes = ${of.maxBodyBytes},
        concurrency = ${of.concurrency}, allow_silence = ${of.allowSilence}, model = ${json(of.model)}, fallback_model = ${json(of.fallbackModel)},
        runs_per_hour = ${of.runsPerHour}, cost_per_day = ${of.costPerDay}, rules = ${rulesOrNull(of)},
        thread_key = ${of.threadKey}, thread_days = ${of.threadDays}, collect = ${json(of.collect)}, updated_at = now()
    where id = ${id} and state <> 'deleted'`.execute(db)
}

export async function findWebhook(
  db: Db,
  id: WebhookId,
  options: { lock?: boolean } = {},
): Promise<WebhookRow | null> {
  const { rows } = await sql<WebhookRow>`
    select ${columns} from webhooks w join webhook_traffic t on t.webhook_id = w.id
    where w.id = ${id} and w.state <> 'deleted' ${options.lock ? sql`for update of w` : sql``}`.execute(db)
  return rows[0] ?? null
}

/** `q` is part of the name or the prompt, `connectorId` one of those that it lists. */
export type WebhookFilter = {
  channelId?: string
  connectorId?: string
  status?: string
  q?: string
}

function isAsked(of: WebhookFilter) {
  return allOf([
    sql`w.state <> 'deleted'`,
    of.channelId && sql`w.channel_id = ${of.channelId}`,
    of.connectorId && sql`w.connector_ids::jsonb @> ${JSON.stringify([of.connectorId])}::jsonb`,
    of.status && sql`w.state = ${of.status}`,
    of.q && sql`position(lower(${of.q}) in lower(w.name || ' ' || w.prompt)) > 0`,
  ])
}

/** The newest first, one more than `limit`. */
export async function listWebhookRows(
  db: Db,
  of: WebhookFilter & { cursor?: string; limit: number },
): Promise<WebhookRow[]> {
  const { rows } = await sql<WebhookRow>`
    select ${columns} from webhooks w join webhook_traffic t on t.webhook_id = w.id
    where ${isAsked(of)} and ${allOf([of.cursor && sql`w.id < ${of.cursor}`])}
    order by w.id desc limit ${of.limit + 1}`.execute(db)
  return rows
}

/** What webhooks are sorted by. */
export type WebhookKeys = Pick<
  WebhookRow,
  'id' | 'name' | 'state' | 'channelName' | 'pausedAt' | 'lastEventAt'
>

/**
 * Of all webhooks that are asked for, the newest first; with the name of the channel only if that is what they are sorted by. Also of the
 * cursor, which may be deleted by now: a list goes on after its place.
 */
export async function listWebhookKeys(
  db: Db,
  of: WebhookFilter & { byChannel: boolean; cursor: string | null },
): Promise<WebhookKeys[]> {
  const channel = of.byChannel ? channelName(sql`w.channel_id`, { seesPrivate: true }) : sql`null`
  const { rows } = await sql<WebhookKeys>`
    select w.id, w.name, w.state, ${channel} as channel_name, w.paused_at, t.last_event_at
    from webhooks w join webhook_traffic t on t.webhook_id = w.id
    where (${isAsked(of)}) or w.id = ${of.cursor} order by w.id desc`.execute(db)
  return rows
}

/** In the order of the ids. */
export async function listWebhooksOf(db: Db, ids: readonly WebhookId[]): Promise<WebhookRow[]> {
  const { rows } = await sql<WebhookRow>`
    select ${columns} from webhooks w join webhook_traffic t on t.webhook_id = w.id
    where w.id = any (${ids}) order by array_position(${ids}::text[], w.id)`.execute(db)
  return rows
}

export async function markDeleted(db: Db, id: WebhookId): Promise<void> {
  await sql`
    update webhooks set state = 'deleted', deleted_at = now(), updated_at = now()
    where id = ${id} and state <> 'deleted'`.execute(db)
}

/** Returns since when it is paused. */
export async function setPaused(db: Db, id: WebhookId, reason: string | null): Promise<Date | null> {
  const { rows } = await sql<{ pausedAt: Date | null }>`
    update webhooks
    set paused_at = ${reason === null ? null : sql`coalesce(paused_at, now())`}, pause_reason = ${reason}
    where id = ${id} and state <> 'deleted' returning paused_at`.execute(db)
  return rows[0]?.pausedAt ?? null
}

export async function notifyWebhookChanged(db: Db, id: WebhookId): Promise<void> {
  await notifyInTransaction(db, webhookChanged, id)
  await publishChange(db, 'webhooks', id)
}

function json(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}

/** Events of a webhook without rules need not be judged. */
function rulesOrNull({ rules }: WebhookFields): string | null {
  return json(rules.length > 0 ? rules : null)
}
