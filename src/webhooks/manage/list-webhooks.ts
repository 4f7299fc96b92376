import { type Page, toPage } from '../../http/paging.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { fineSuccess } from '../../shared/fine-success.ts'
import type { WebhookId } from '../../shared/ids.ts'
import type { ListedWebhook, WebhookSort } from '../contract.ts'
import {
  listWebhookKeys,
  listWebhookRows,
  listWebhooksOf,
  type WebhookFilter,
  type WebhookKeys,
} from '../store/webhooks.ts'
import { showWebhook } from './show-webhook.ts'

/** What a webhook or schedule did in the last 24 hours. */
export type Recent = { sourceId: string; events: number; succeeded: number; failed: number }

type Context = {
  db: Db
  vault: Pick<Vault, 'keyIds'>
  publicUrl: string
  statistics: { recent(): Promise<Recent[]> }
}
type Query = WebhookFilter & { cursor?: string; limit: number; sort?: WebhookSort }
type Sorted = WebhookKeys & { recent: Recent | undefined }

/** The newest first unless sorted. */
export async function listWebhooks(ctx: Context, query: Query): Promise<Page<ListedWebhook>> {
  const recent = new Map((await ctx.statistics.recent()).map((figures) => [figures.sourceId, figures]))
  const rows = query.sort
    ? await listWebhooksOf(ctx.db, await sortIds(ctx.db, recent, query))
    : await listWebhookRows(ctx.db, query)
  const page = toPage(rows, query.limit)
  return {
    ...page,
    items: page.items.map((row) => {
      const { events = 0, succeeded = 0, failed = 0 } = recent.get(row.id) ?? {}
      return { ...showWebhook(ctx, row), last24Hours: { events, succeeded, failed } }
    }),
  }
}

/** Of the page that begins after the cursor, and of one more. There are few webhooks, and figures are in no index. */
async function sortIds(db: Db, recent: ReadonlyMap<string, Recent>, { sort, cursor, limit, ...of }: Query) {
  const [isDown, name] = sort?.startsWith('-') ? [true, sort.slice(1)] : [false, sort]
  const readValue = values[name as keyof typeof values] // all of the enum, without the sign
  const rows = await listWebhookKeys(db, { ...of, byChannel: name === 'channel', cursor: cursor ?? null })
  const keys = rows.map((key) => ({ ...key, recent: recent.get(key.id) }))
  const sorted = keys.toSorted((a, b) => compare(readValue(a), readValue(b), isDown)).map(({ id }) => id)
  if (cursor === undefined) return sorted.slice(0, limit + 1)
  const at = sorted.indexOf(cursor as WebhookId) // of another kind it is not found
  return at < 0 ? [] : sorted.slice(at + 1, at + 2 + limit)
}

type Value = string | number | null

const values = {
  trouble: (webhook) =>
    -(
      (webhook.state === 'active' && webhook.pausedAt ? 200 : 0) +
      Math.max(fineSuccess - (successOf(webhook) ?? 100), 0)
    ),
  name: ({ name }) => name,
  state: ({ state, pausedAt }) => (state === 'inactive' ? 2 : pausedAt ? 1 : 0),
  lastEvent: ({ lastEventAt }) => lastEventAt?.getTime() ?? null,
  channel: ({ channelName }) => channelName,
  events: ({ recent }) => recent?.events ?? 0,
  success: successOf,
} as const satisfies Record<string, (webhook: Sorted) => Value>

/** In percent of the runs that succeeded or failed. */
function successOf({ recent }: Sorted): number | null {
  const { succeeded, failed } = recent ?? { succeeded: 0, failed: 0 }
  return succeeded + failed === 0 ? null : (100 * succeeded) / (succeeded + failed)
}

const collator = new Intl.Collator('en', { numeric: true })

function compare(a: Value, b: Value, isDown: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  const order =
    typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b))
  return isDown ? -order : order
}
