import { type Chat, ChatError } from '../../chat/chat.ts'
import { problem } from '../../http/problems.ts'
import type { JobQueue } from '../../jobs.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Caller } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import type { RunId } from '../../shared/ids.ts'
import { canBeReopened, reopenReply } from '../store/replies.ts'
import { findRun } from '../store/run-rows.ts'

type Context = { db: Db; queue: JobQueue; chat: Chat; audit: Audit }

/** Enqueues a reply that could not be posted again, unchanged. The model is not asked again. */
export async function retryPost(ctx: Context, caller: Caller, id: RunId): Promise<void> {
  const run = await findRun(ctx.db, id)
  if (!run?.channelId || !(await canBeReopened(ctx.db, id))) throw nothingToPost()
  try {
    await ctx.chat.retryAmbiguousPost(run.channelId, id)
  } catch (error) {
    if (!(error instanceof ChatError)) throw error
    throw problem('nothing-to-post', `${error.message} Replay the event to have it answered elsewhere.`)
  }
  await ctx.db.transaction().execute(async (tx) => {
    // If two people press the button, the second one is refused.
    if (!(await reopenReply(tx, id))) throw nothingToPost()
    await ctx.queue.send(tx, 'reply.post', { runId: id }, { key: id })
    await ctx.audit(tx, { ...caller, action: 'run.reply_retried', subject: id })
  })
}

function nothingToPost() {
  return problem(
    'nothing-to-post',
    'Its reply is already posted, being posted, erased, or not meant to be posted. Reload the run.',
  )
}
