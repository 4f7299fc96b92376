import { sql } from 'kysely'
import { type Page, toPage } from '../paging.ts'
import type { Db } from '../platform/db/database.ts'
import type { RunSummary } from './contract.ts'
import type { RunStatus } from './run.ts'
import { type QueuedRun, showQueued, showRun } from './show-run.ts'
import type { Reply } from './store/replies.ts'
import { type Run, runColumns } from './store/run-rows.ts'

export type RunFilter = {
  status?: RunStatus | undefined
  webhookId?: string | undefined
  channelId?: string | undefined
  eventId?: string | undefined
  cursor?: string | undefined
  limit: number
}

type Row = Run & { replyKind: Reply['kind'] | null } & Pick<Reply, 'messageId' | 'permalink'> & {
    replyText: string | null
    replyMessageId: Reply['messageId']
  }

/** Newest first, without steps. What still waits in the inbox is listed by status, or with its webhook. */
export async function listRuns(db: Db, filter: RunFilter): Promise<Page<RunSummary>> {
  const runs = filter.status === 'queued' ? [] : await selectRuns(db, filter)
  const inbox = filter.status === 'queued' || (filter.status === undefined && filter.webhookId !== undefined)
  const queued = inbox ? await selectQueued(db, filter) : []
  const all = [...runs, ...queued].sort((a, b) => (a.id < b.id ? 1 : -1))
  return toPage(all.slice(0, filter.limit + 1), filter.limit)
}

async function selectRuns(db: Db, of: RunFilter): Promise<RunSummary[]> {
  const conditions = [
    sql`true`,
    ...(of.status ? [sql`status = ${of.status}`] : []),
    ...(of.webhookId ? [sql`webhook_id = ${of.webhookId}`] : []),
    ...(of.channelId ? [sql`channel_id = ${of.channelId}`] : []),
    ...(of.eventId ? [sql`event_id = ${of.eventId}`] : []),
    ...(of.cursor ? [sql`id < ${of.cursor}`] : []),
  ]
  const { rows } = await sql<Row>`
    select page.*, p.kind as reply_kind, p.text as reply_text, p.message_id as reply_message_id, p.permalink
    from (select ${runColumns} from runs where ${sql.join(conditions, sql` and `)} order by id desc limit ${of.limit + 1}) page
    left join replies p on p.run_id = page.id
    order by page.id desc`.execute(db)
  return rows.map((row) =>
    showRun(
      row,
      row.replyKind === null
        ? null
        : {
            kind: row.replyKind,
            text: row.replyText ?? '',
            messageId: row.replyMessageId,
            permalink: row.permalink,
          },
    ),
  )
}

async function selectQueued(db: Db, of: RunFilter): Promise<RunSummary[]> {
  const conditions = [
    sql`e.status in ('accepted', 'dispatched')`,
    sql`not exists (select from runs r where r.id = e.run_id)`,
    ...(of.webhookId ? [sql`e.webhook_id = ${of.webhookId}`] : []),
    ...(of.channelId ? [sql`w.channel_id = ${of.channelId}`] : []),
    ...(of.eventId ? [sql`e.id = ${of.eventId}`] : []),
    ...(of.cursor ? [sql`e.run_id < ${of.cursor}`] : []),
  ]
  const { rows } = await sql<QueuedRun>`
    select e.run_id as id, e.id as event_id, e.webhook_id, w.channel_id, e.trigger, w.prompt, w.name, e.received_at
    from events e join webhooks w on w.id = e.webhook_id
    where ${sql.join(conditions, sql` and `)} order by e.run_id desc limit ${of.limit + 1}`.execute(db)
  return rows.map(showQueued)
}
