import { asError } from '../../platform/as-error.ts'
import type { Conditions } from '../../platform/conditions/open-conditions.ts'
import type { Db } from '../../platform/db/database.ts'
import { publishChange } from '../../shared/changes.ts'
import type { WebhookId } from '../../shared/ids.ts'
import type { EventMetrics } from '../inbox/event-metrics.ts'
import { lockDispatch, notifyEventSettled } from '../inbox/move-events.ts'
import { type Collecting, collectEvent } from './collect-events.ts'
import type { Collect } from './contract.ts'
import { judgeEvents, type Verdict } from './judge-events.ts'
import {
  type JudgedRow,
  listCollecting,
  listUnjudged,
  listUnjudgedWebhooks,
  lockRules,
  postponeCollecting,
  storeVerdicts,
} from './store.ts'

type Context = {
  db: Db
  conditions: Conditions
  metrics: Pick<EventMetrics, 'eventsByRule'>
  onError(error: Error): void
}

/** Of one webhook at a time, so that many events of one do not delay the others. */
const batch = { events: 100, bytes: 8 * 1024 * 1024 }

/** One round of judging the events that wait in the inbox of webhooks with rules. Returns how many were judged. */
export async function judgeWaiting(ctx: Context): Promise<number> {
  let judged = 0
  for (const webhookId of await listUnjudgedWebhooks(ctx.db)) {
    try {
      judged += await judgeWebhook(ctx, webhookId)
    } catch (error) {
      // The others have their turn.
      ctx.onError(asError(error))
    }
  }
  return judged
}

async function judgeWebhook({ db, conditions, metrics }: Context, webhookId: WebhookId): Promise<number> {
  const judged = await db.transaction().execute(async (tx) => {
    const settings = await lockRules(tx, webhookId)
    const events = settings ? await listUnjudged(tx, webhookId, batch) : []
    if (!settings || events.length === 0) return []
    const judgements = await judgeEvents(conditions, settings, events)
    const rows = judgements.map(({ event, verdict, threadKey }): Judged => {
      const { id, receivedAt } = event
      const status = isOver(verdict, threadKey) ? 'skipped' : 'accepted'
      return { id, status, verdict, threadKey, dueAt: null, joinedTo: null, receivedAt }
    })
    if (settings.collect) await collectAll(tx, webhookId, settings.collect, rows)
    await storeVerdicts(tx, rows)
    await publishChange(tx, 'events')
    return rows
  })
  for (const { id, status } of judged) {
    if (status === 'accepted') continue
    metrics.eventsByRule.inc({ outcome: status })
    await notifyEventSettled(db, id)
  }
  return judged.length
}

type Judged = JudgedRow & { receivedAt: Date }

/** Nothing is left to do. One that marks its thread waits for its turn there. */
function isOver({ rule }: Verdict, threadKey: string | null): boolean {
  return rule?.then === 'skip' && !(rule.closes && threadKey !== null)
}

/** Lets events join one that waits, or wait for others. */
async function collectAll(tx: Db, webhookId: WebhookId, collect: Collect, rows: Judged[]): Promise<void> {
  // Nobody starts an event while another one joins it.
  await lockDispatch(tx)
  const waiting = await listCollecting(tx, webhookId)
  const collecting = new Map<string, Collecting>(
    waiting.map((one) => [groupOf(one.threadKey, one.rule), one]),
  )
  for (const row of rows.filter(startsRun)) {
    const group = groupOf(row.threadKey, row.verdict.rule?.index ?? null)
    const collected = collectEvent(collect, collecting.get(group) ?? null, row.receivedAt)
    if (collected.kind === 'first') {
      row.dueAt = collected.dueAt
      // The row itself: it is stored with the time at which it is due in the end.
      collecting.set(group, row as Judged & { dueAt: Date })
      continue
    }
    row.status = 'joined'
    row.joinedTo = collected.to.id
    collected.to.dueAt = collected.dueAt
  }
  for (const { id, dueAt } of waiting) await postponeCollecting(tx, id, dueAt)
}

function startsRun({ status, verdict }: Judged): boolean {
  return status === 'accepted' && (verdict.rule?.then ?? 'run') === 'run'
}

/** What another rule sends elsewhere, or with another prompt, is not collected with the rest. */
function groupOf(threadKey: string | null, rule: number | null): string {
  return JSON.stringify([threadKey, rule])
}
