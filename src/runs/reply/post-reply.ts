import { type Chat, ChatError, type NewPost } from '../../chat/chat.ts'
import { erasedNote, eraseMessages } from '../../chat/messages/erase-messages.ts'
import type { JobQueue } from '../../jobs.ts'
import { asError } from '../../platform/as-error.ts'
import { type Db, isDiskFull } from '../../platform/db/database.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import type { Log } from '../../platform/log.ts'
import type { RunId } from '../../shared/ids.ts'
import { isOver } from '../loop/run.ts'
import type { RunMetrics } from '../run-metrics.ts'
import {
  endRun,
  findReply,
  markPosted,
  type Reply,
  recordReplyProblem,
  type Settled,
  withheld,
} from '../store/replies.ts'
import { findRun, type Run } from '../store/run-rows.ts'
import { isErased } from '../store/wipe-runs.ts'
import { markThread, postToThread } from '../threads/post-to-thread.ts'
import { finishEarlyReply } from './early-reply.ts'
import { readPlace } from './read-place.ts'

export type ReplyContext = {
  db: Db
  queue: JobQueue
  chat: Chat
  metrics: RunMetrics
  log: Log
  now: () => Date
  /** Only tests set it: called at each point where a crash would hurt most. */
  faults?: (point: string) => void | Promise<void>
}

const maxTries = 30

/** The job: posts a reply that is stored but not posted yet. The model is not asked again. */
export async function postReply(ctx: ReplyContext, runId: RunId): Promise<void> {
  const run = await findRun(ctx.db, runId)
  const reply = run && (await findReply(ctx.db, runId))
  if (run && reply?.state === 'pending') await deliverReply(ctx, run, reply)
}

/** The run ends with its reply. The key is the run's id, so a retry after a crash finds the message of the first try. */
export async function deliverReply(
  ctx: ReplyContext,
  run: Run,
  reply: Pick<Reply, 'kind' | 'text'>,
): Promise<void> {
  const { posted, keyed, origin } = await readPlace(ctx.db, run)
  const finished = finishEarlyReply(posted, reply)
  if (run.dry || run.channelId === null || (reply.kind === 'silence' && finished === null)) {
    if (keyed) await markThread(ctx, keyed)
    await settle(ctx, run, withheld)
    return
  }
  await ctx.faults?.('reply.saved')
  try {
    const post: NewPost = {
      channelId: run.channelId,
      threadId: run.threadId,
      text: replaceNul(finished ?? reply.text),
      key: run.id,
      runId: run.id,
      origin,
      author: reply.kind === 'notice' ? 'system' : 'agent',
      isReply: reply.kind === 'answer',
    }
    const { messageId, permalink } = keyed ? await postToThread(ctx, keyed, post) : await ctx.chat.post(post)
    const { text, isReply } = post
    const isShown = finished === null || (await ctx.chat.update(messageId, { text, isReply }))
    // What was posted early cannot be edited any more, so the final text follows under it.
    if (!isShown)
      await ctx.chat.post({ ...post, threadId: run.threadId ?? messageId, key: `${run.id}:final` })
    if (keyed) await markThread(ctx, keyed)
    await ctx.faults?.('reply.posted')
    const settled: Settled = { state: 'posted', messageId, permalink }
    await settle(ctx, run.status === 'failed' ? afterLatePost(run, reply) : run, settled)
  } catch (error) {
    // The job is retried until there is room, however long that takes.
    if (isDiskFull(error)) throw error
    await postLater(ctx, run, error)
  }
  await ctx.faults?.('run.ended')
}

/** A reply that could not be posted at first was posted after all. An answer makes the run a success, a notice does not. */
function afterLatePost(run: Run, { kind }: Pick<Reply, 'kind'>): Run {
  return kind === 'answer'
    ? { ...run, errorCode: null, errorMessage: null }
    : { ...run, errorMessage: 'The run failed. The notice about it could not be posted right away.' }
}

async function postLater(ctx: ReplyContext, run: Run, error: unknown): Promise<void> {
  const message = asError(error).message
  const final = error instanceof ChatError && error.fault !== 'unavailable'
  const tries = await recordReplyProblem(ctx.db, run.id, message)
  ctx.log.warn({ runId: run.id, tries, err: error }, 'reply.not_posted')
  if (final || tries >= maxTries) {
    const ambiguous = error instanceof ChatError && error.fault === 'ambiguous'
    const failed: Run = {
      ...run,
      errorCode: ambiguous ? 'reply_ambiguous' : 'reply_refused',
      errorMessage: ambiguous
        ? `The reply may or may not be in the channel; it was not posted again. ${message}`
        : `The reply could not be posted. ${message}`,
    }
    await settle(ctx, failed, withheld)
    return
  }
  const pauseMs = Math.min(1000 * 2 ** Math.min(tries, 6), 60_000)
  const retryAfter = error instanceof ChatError ? error.retryAfter : null
  await ctx.queue.send(
    ctx.db,
    'reply.post',
    { runId: run.id },
    { key: run.id, startAfter: retryAfter ?? pauseMs },
  )
}

/** The end of the run, its posted reply and its settled event are committed together. */
async function settle(ctx: ReplyContext, run: Run, settled: Settled): Promise<void> {
  if (isOver(run.status) && run.errorCode !== null) {
    await markPosted(ctx.db, run, settled)
    return
  }
  const ended = await endRun(ctx.db, run, settled)
  if (ended) {
    if (!run.rehearsalId)
      ctx.metrics.runsEnded.inc({ status: run.errorCode === null ? 'succeeded' : 'failed' })
    if (settled.state === 'posted') ctx.metrics.eventToReply.observe(Math.max(0, ended.seconds))
  } else if (settled.messageId && (await isErased(ctx.db, run.id))) {
    // Somebody erased the event while its reply was being posted: on the platform, and what we know of it.
    await ctx.chat.update(settled.messageId, { text: erasedNote })
    await ctx.db.transaction().execute((tx) => eraseMessages(tx, [run.id]))
  }
}
