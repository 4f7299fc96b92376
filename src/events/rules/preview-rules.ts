import { sql } from 'kysely'
import type { Conditions } from '../../platform/conditions/open-conditions.ts'
import type { Db } from '../../platform/db/database.ts'
import type { EventId, WebhookId } from '../../shared/ids.ts'
import { describeEvent } from '../ledger/describe-event.ts'
import { beginningBytes } from '../ledger/events.ts'
import { showRule } from '../ledger/show-event.ts'
import { type Collecting, collectEvent } from './collect-events.ts'
import type { RulesPreview } from './contract.ts'
import { judgeEvents, type RuleSettings } from './judge-events.ts'

const most = { events: 500, bytes: 32 * 1024 * 1024 }
/** A preview is watched while somebody types, so it tells what it has by then. */
const maxMs = 3_000
const atOnce = 20

type Row = {
  id: EventId
  body: Buffer
  headers: Record<string, string>
  receivedAt: Date
}

/** What the webhook's latest events would become, the newest first. Nothing is stored. */
export async function previewRules(
  { db, conditions }: { db: Db; conditions: Conditions },
  webhookId: WebhookId,
  settings: RuleSettings,
): Promise<RulesPreview> {
  const rows = await listLatest(db, webhookId)
  const collecting = new Map<string, Collecting>()
  const items: RulesPreview['items'] = []
  const giveUpAt = performance.now() + maxMs
  for await (const { event, verdict, threadKey } of judgeUntil(giveUpAt, conditions, settings, rows)) {
    const { id, body, headers, receivedAt } = event
    const { rule, faults, keyFault } = verdict
    const becomes = { run: 'run', notify: 'notified', skip: 'skipped' } as const
    let outcome: RulesPreview['items'][number]['outcome'] = becomes[rule?.then ?? 'run']
    let joinedTo: EventId | null = null
    if (outcome === 'run' && settings.collect) {
      const group = JSON.stringify([threadKey, rule?.index])
      const collected = collectEvent(settings.collect, collecting.get(group) ?? null, receivedAt)
      if (collected.kind === 'first') collecting.set(group, { id, receivedAt, dueAt: collected.dueAt })
      else {
        outcome = 'joined'
        joinedTo = collected.to.id
        collected.to.dueAt = collected.dueAt
      }
    }
    const beginning = body.subarray(0, beginningBytes)
    items.push({
      eventId: id,
      receivedAt: receivedAt.toISOString(),
      summary: describeEvent({ headers, beginning, isWhole: body.length < beginningBytes }),
      outcome,
      rule: rule && showRule(rule),
      ruleFaults: faults,
      threadKey,
      threadKeyFault: keyFault,
      joinedTo,
    })
  }
  const count = (outcome: string) => items.filter((item) => item.outcome === outcome).length
  return {
    counts: {
      run: count('run'),
      skipped: count('skipped'),
      notified: count('notified'),
      joined: count('joined'),
      threads: new Set(
        items.flatMap(({ threadKey, outcome }) => (outcome === 'skipped' ? [] : (threadKey ?? []))),
      ).size,
    },
    items: items.toReversed(),
  }
}

async function* judgeUntil(
  giveUpAt: number,
  conditions: Conditions,
  settings: RuleSettings,
  rows: readonly Row[],
) {
  for (let at = 0; at < rows.length && performance.now() < giveUpAt; at += atOnce)
    yield* await judgeEvents(conditions, settings, rows.slice(at, at + atOnce))
}

/** The oldest first, as they would be judged. */
async function listLatest(db: Db, webhookId: WebhookId): Promise<Row[]> {
  const newest = (which: ReturnType<typeof sql>) => sql`
    select id, size_bytes from events where source_id = ${webhookId} and ${which} and body is not null
    order by id desc limit ${most.events}`
  const { rows } = await sql<Row>`
    select e.id, coalesce(e.payload, e.body) as body, e.headers, e.received_at
    from (
      select id, sum(size_bytes) over (order by id desc) - size_bytes as bytes_before
      from ((${newest(sql`status = 'accepted'`)}) union all (${newest(sql`status <> 'accepted'`)})) latest
      order by id desc limit ${most.events}
    ) latest join events e on e.id = latest.id
    where latest.bytes_before < ${most.bytes} order by e.id`.execute(db)
  return rows
}
