import { sealAuditLog } from '../accounts/audit-log/seal-audit-log.ts'
import { signHead } from '../accounts/audit-log/sign-head.ts'
import { sweepAccounts } from '../accounts/sweep-accounts.ts'
import { escalateApproval, remindOfApproval, showApproval } from '../approvals/ask-in-chat.ts'
import { expireApprovals } from '../approvals/expire-approvals.ts'
import { postReport, reportAutomatic } from '../approvals/report-automatic.ts'
import { readInbox } from '../chat/delivery/inbound/read-inbox.ts'
import { forgetOldInbound } from '../chat/delivery/inbound/store.ts'
import { holdConnections } from '../chat/delivery/sockets/hold-connections.ts'
import { pruneMessages } from '../chat/messages/prune-messages.ts'
import { enqueueNextMessages } from '../chat/threads/notify-agent.ts'
import { refreshDueServers } from '../connectors/mcp/discovery/discover-tools.ts'
import { ignoreOrphans } from '../events/inbox/move-events.ts'
import { pruneDeliveryKeys } from '../events/inbox/prune-delivery-keys.ts'
import { pruneEvents } from '../events/ledger/prune-events.ts'
import type { Jobs } from '../jobs.ts'
import { readTime } from '../platform/db/read-time.ts'
import { repeat } from '../platform/repeat.ts'
import { pruneRuns } from '../runs/history/prune-runs.ts'
import { advanceRun } from '../runs/loop/advance-run.ts'
import { startChatRun } from '../runs/loop/start/start-chat-run.ts'
import { startRun } from '../runs/loop/start/start-run.ts'
import { sweepRuns } from '../runs/loop/sweep-runs.ts'
import { probeModels } from '../runs/outages/probe-models.ts'
import { runDueRehearsals } from '../runs/rehearsals/nightly/run-due.ts'
import { rehearseEvent } from '../runs/rehearsals/rehearse-event.ts'
import { pruneRehearsals, sweepRehearsals } from '../runs/rehearsals/sweep-rehearsals.ts'
import { postReply } from '../runs/reply/post-reply.ts'
import { showQueued } from '../runs/reply/show-queued.ts'
import { notifyEvent } from '../runs/threads/notify-event.ts'
import { openClock } from '../schedules/open-clock.ts'
import { rollDays } from '../status/figures/roll-days.ts'
import { rollHours } from '../status/roll-hours.ts'
import { showInThread } from '../tools/questions/show-in-thread.ts'
import { pruneRefusals } from '../webhooks/ingress/prune-refusals.ts'
import type { AppContext } from './app-context.ts'
import { postNoticeWith } from './post-notice.ts'
import { reportDeadJob } from './report-dead-job.ts'

/** Workers that begin at the same moment each need a connection of their own, and opening one costs more than their first query. */
const staggerMs = 25
/** What is counted, deleted for its age, or seldom looked for, waits until the start is over. */
const seldomMs = 15_000
const afterStartMs = 10_000

/** Starts the worker of each job in src/jobs.ts and the periodic tasks. */
export async function startWorkers(ctx: AppContext): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  let begun = 0

  const activeRuns = async () => (await ctx.settings.read()).limits.activeRuns
  const chatRuns = async () => (await ctx.settings.read()).limits.chatRuns
  work('run.start', activeRuns, (asked, signal) => startRun(ctx, asked, signal))
  work('event.notify', 8, ({ eventId }) => notifyEvent(ctx, eventId))
  work('run.advance', activeRuns, ({ runId }, signal) => advanceRun(ctx, runId, signal))
  work('reply.post', 4, ({ runId }) => postReply(ctx, runId))
  work('message.received', chatRuns, ({ messageId }, signal) => startChatRun(ctx, messageId, signal))
  work('message.queued', 2, ({ messageId }) => showQueued(ctx, messageId))
  work('chat.inbound', 8, (asked) => readInbox(ctx, asked))
  work('approval.show', 2, ({ approvalId }) => showApproval(ctx, approvalId))
  work('question.show', 1, ({ questionId }) => showInThread(ctx, questionId))
  work('approval.remind', 1, ({ approvalId }) => remindOfApproval(ctx, approvalId))
  work('approval.escalate', 1, (asked) => escalateApproval(ctx, asked))
  work('approval.report', 1, (asked) => postReport(ctx, asked))
  // Places of their own, so that no event waits for a rehearsal, and few of them.
  const rehearsed = async () => Math.max(1, Math.floor((await activeRuns()) / 4))
  work('rehearsal.event', rehearsed, (asked, signal) => rehearseEvent(ctx, asked, signal))

  ctx.queue.workDeadLetters((letter) => reportDeadJob(ctx, letter))

  every(5_000, 'events.ignore', (signal) => ignoreOrphans(ctx.db, signal))
  every(600_000, 'events.prune', async (signal) => pruneEvents(await withDatabaseClock(), signal))
  every(600_000, 'refusals.prune', async (signal) => pruneRefusals(await withDatabaseClock(), signal))
  every(3_600_000, 'keys.prune', async (signal) => pruneDeliveryKeys(await withDatabaseClock(), signal))
  every(5_000, 'runs.sweep', () => sweepRuns(ctx))
  every(600_000, 'runs.prune', async (signal) => pruneRuns(await withDatabaseClock(), signal))
  every(5_000, 'rehearsals.sweep', () => sweepRehearsals(ctx))
  every(30_000, 'rehearsals.nightly', (signal) => runDueRehearsals(ctx, signal))
  every(600_000, 'rehearsals.prune', async () => pruneRehearsals(await withDatabaseClock()))
  every(3_000, 'models.probe', () => probeModels(ctx))
  every(5_000, 'mcp.refresh', () => refreshDueServers(ctx))
  every(2_000, 'approvals.expire', () => expireApprovals(ctx))
  every(60_000, 'approvals.report', () => reportAutomatic(ctx))
  every(1_000, 'chat.turns', () => enqueueNextMessages(ctx))
  every(600_000, 'chat.forget', (signal) => forgetOldInbound(ctx.db, signal))
  every(600_000, 'messages.prune', async (signal) => pruneMessages(await withDatabaseClock(), signal))
  every(1_000, 'audit.seal', () => sealAuditLog(ctx.db))
  every(60_000, 'audit.head', () => signHead(ctx))
  every(600_000, 'accounts.sweep', async (signal) => sweepAccounts(await withDatabaseClock(), signal))
  every(15_000, 'stats.roll', async () => rollHours(await withDatabaseClock()))
  every(15_000, 'figures.roll', async (signal) => rollDays(await withDatabaseClock(), undefined, signal))

  stack.use(holdConnections(ctx))
  stack.use(await openClock({ ...ctx, postNotice: postNoticeWith(ctx) }))

  return stack.move()

  /** What is deleted for its age must have that age by the database's clock: ours may be wrong by years before it is set. */
  async function withDatabaseClock(): Promise<AppContext> {
    const time = await readTime(ctx.db)
    return { ...ctx, now: () => time }
  }

  function work<Name extends keyof Jobs>(
    name: Name,
    concurrency: number | (() => Promise<number>),
    perform: (payload: Jobs[Name], signal: AbortSignal) => Promise<void>,
  ): void {
    ctx.metrics.jobsFailed.inc({ job: name }, 0)
    ctx.queue.work(name, { concurrency, firstPollMs: begun++ * staggerMs }, async (payload, signal) => {
      try {
        await ctx.tracing.span(name, payload, () => perform(payload, signal))
      } catch (error) {
        ctx.metrics.jobsFailed.inc({ job: name })
        ctx.log.warn({ err: error, job: name, payload }, 'job.failed')
        throw error
      }
    })
  }

  function every(ms: number, name: string, perform: (signal: AbortSignal) => Promise<void>): void {
    const firstAfterMs = begun++ * staggerMs + (ms >= seldomMs ? afterStartMs : 0)
    stack.use(repeat(name, ms, ctx.log, perform, firstAfterMs))
  }
}
