import { sql } from 'kysely'
import { type Chat, ChatError } from '../chat/chat.ts'
import type { JobQueue, JobSender, Jobs } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import { invisibleCharacters } from '../platform/invisible-characters.ts'
import type { ChannelId, PolicyId } from '../shared/ids.ts'
import { toolLabel } from '../shared/tool-label.ts'

/** Runs now and then in each worker. Rows are claimed in the transaction that enqueues, so each day is told of once. */
export async function reportAutomatic({ db, queue }: JobSender): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const due = await claimReports(tx)
    await queue.sendMany(
      tx,
      'approval.report',
      due.map((payload) => ({ payload })),
    )
  })
}

type Context = { db: Db; queue: JobQueue; chat: Chat; publicUrl: string }

/** One line for each policy, channel and day: nobody clicked, so people are told what was done by rule. */
export async function postReport(ctx: Context, asked: Jobs['approval.report']): Promise<void> {
  const { policyId, channelId, day } = asked
  const done = await summarizeDay(ctx.db, asked)
  // Deleted since, with its runs.
  if (!done) return
  const { calls, sum, tool, name } = done
  const count = calls === 1 ? '1 call' : `${calls} calls`
  const total = sum === null ? '' : `, ${sum} in total`
  const policy = plain(name)
  const text = `On ${day}, the policy “${policy}” let ${count} of ${toolLabel(tool)} through without asking${total}. ${ctx.publicUrl}/policies/${policyId}`
  try {
    await ctx.chat.post({
      channelId,
      threadId: null,
      text,
      key: `${policyId}:${day}`,
      author: 'system',
    })
  } catch (error) {
    if (!(error instanceof ChatError)) throw error
    // The channel is gone: nobody is there to read it.
    if (error.fault === 'refused') return
    if (error.fault !== 'unavailable') throw error
    await ctx.queue.send(ctx.db, 'approval.report', asked, { startAfter: error.retryAfter ?? 1000 })
  }
}

/** Admins choose the name: it must not look like a link, a mention or another line. */
function plain(name: string): string {
  return name
    .replaceAll(invisibleCharacters, '')
    .replaceAll(/[\s<>*_`[\]]+/g, ' ')
    .trim()
}

type AutomaticDay = { policyId: PolicyId; channelId: ChannelId; day: string }

/** The days that are over, in UTC, of automatic calls that nobody was told of yet. */
async function claimReports(tx: Db): Promise<AutomaticDay[]> {
  const { rows } = await sql<AutomaticDay>`
    with due as (
      update approvals set reported_at = now()
      where id in (
        select id from approvals
        where reported_at is null and decided_by ->> 'kind' = 'policy'
          and decided_at < date_trunc('day', now(), 'UTC')
        order by decided_at limit 10000 for update skip locked)
      returning policy_id, channel_id, decided_at)
    select distinct policy_id, channel_id, to_char(decided_at at time zone 'UTC', 'YYYY-MM-DD') as day from due`.execute(
    tx,
  )
  return rows
}

type DayTotals = { calls: number; sum: string | null; tool: string; name: string }

/** What a policy let through on a day in a channel. */
async function summarizeDay(db: Db, { policyId, channelId, day }: AutomaticDay): Promise<DayTotals | null> {
  const { rows } = await sql<DayTotals>`
    select count(*)::int as calls, trim_scale(sum(policy_amount))::text as sum, max(tool) as tool,
      max(decided_by ->> 'name') as name
    from approvals where policy_id = ${policyId} and channel_id = ${channelId} and decided_by ->> 'kind' = 'policy'
      and decided_at >= ${day}::timestamp at time zone 'UTC'
      and decided_at < (${day}::timestamp + interval '1 day') at time zone 'UTC'
    having count(*) > 0`.execute(db)
  return rows[0] ?? null
}
