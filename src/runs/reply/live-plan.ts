import { type Chat, ChatError, type NewPost } from '../../chat/chat.ts'
import { erasedNote } from '../../chat/messages/erase-messages.ts'
import { findMessageByKey } from '../../chat/store.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Log } from '../../platform/log.ts'
import type { RunId } from '../../shared/ids.ts'
import { toolLabel } from '../../shared/tool-label.ts'
import { isOver } from '../loop/run.ts'
import {
  findOpenPlan,
  listOpenPlans,
  listPlannedCalls,
  markSealed,
  type OpenPlan,
  openPlan,
} from '../store/plans.ts'
import type { Run } from '../store/run-rows.ts'

type Context = { db: Db; chat: Chat; log: Log }

/** A run that takes longer shows what it does. */
const afterMs = 5000
const everyMs = 1500
/** More lines than anybody reads; the page of the run has them all. */
const maxLines = 20

const keyOf = (runId: RunId) => `plan ${runId}`

export type LivePlan = {
  /** The work is done: a plan that is not there yet comes too late. */
  stop(): void
  close(): Promise<void>
}

/**
 * The tools of a run and what became of each, in one message that is edited while the run works, and sealed when it is over. Only where
 * a person asked on a platform: the built-in workspace has its own sign, and nobody waits for an event. Nothing depends on it.
 */
export function showPlan(ctx: Context, run: Run): LivePlan {
  const { id, channelId, threadId } = run
  if (run.trigger !== 'chat' || run.dry || channelId === null)
    return { stop: () => undefined, close: async () => undefined }
  let shown: string | null = null
  let isOpen = false
  let isDone = false
  let last = Promise.resolve()

  async function showNow(): Promise<void> {
    if (channelId === null || !(await openPlan(ctx.db, id))) return
    isOpen = true
    const text = `⏳ Working on it\n${await describeCalls(ctx.db, id)}`
    if (text === shown) return
    const post: NewPost = {
      channelId,
      threadId,
      text,
      key: keyOf(id),
      runId: id,
      author: 'system',
      hasCancel: true,
    }
    const { messageId } = await ctx.chat.post(post)
    const message = shown === null ? await findMessageByKey(ctx.db, channelId, keyOf(id)) : null
    if (message?.text !== text) await ctx.chat.update(messageId, { text })
    shown = text
  }
  const show = () => {
    last = last.then(showNow).catch((error: unknown) => {
      ctx.log.debug({ err: error, runId: id }, 'plan.not_shown')
    })
  }
  let interval: NodeJS.Timeout | undefined
  const begin = () => {
    if (isDone) return
    show()
    interval = setInterval(show, everyMs)
  }
  const timer = setTimeout(begin, afterMs)

  return {
    stop() {
      isDone = true
      clearTimeout(timer)
      clearInterval(interval)
    },
    async close() {
      this.stop()
      // What waits for a decision is shown as waiting, for as long as that takes.
      if (isOpen) show()
      await last
      const open = await findOpenPlan(ctx.db, id)
      if (open && isOver(open.status)) await seal(ctx, open)
    },
  }
}

const batchSize = 50

/** The backstop: a plan whose run is over shows that, whoever ended the run and whatever became of the process that showed it. */
export async function sealPlans(ctx: Context): Promise<void> {
  for (const open of await listOpenPlans(ctx.db, batchSize)) await seal(ctx, open)
}

async function seal(ctx: Context, open: OpenPlan): Promise<void> {
  const message = await findMessageByKey(ctx.db, open.channelId, keyOf(open.id))
  try {
    if (message) {
      const { id, threadId, text, delivery } = message
      const post = { channelId: open.channelId, threadId, text, key: keyOf(open.id), runId: open.id }
      // The process may have died before it knew what became of the post: then that is found out first.
      if (delivery === 'sending') await ctx.chat.post({ ...post, author: 'system' })
      await ctx.chat.update(id, { text: await describeEnd(ctx.db, open), hasCancel: false })
    }
  } catch (error) {
    if (!(error instanceof ChatError)) throw error
    ctx.log.warn({ err: error, runId: open.id }, 'plan.not_sealed')
    // Later, with the next sweep; a message that cannot be changed any more stays as it is.
    if (error.fault === 'unavailable') return
  }
  await markSealed(ctx.db, open.id)
}

async function describeEnd(db: Db, { id, status, workMs, erased }: OpenPlan): Promise<string> {
  if (erased) return erasedNote
  const seconds = `${Math.max(1, Math.round(workMs / 1000))} s`
  const head =
    status === 'succeeded' ? `✅ Done in ${seconds}` : status === 'failed' ? '⚠️ Failed' : '⏹️ Cancelled'
  return `${head}\n${await describeCalls(db, id)}`
}

async function describeCalls(db: Db, runId: RunId): Promise<string> {
  const calls = await listPlannedCalls(db, runId)
  const lines = calls.slice(-maxLines).map((call) => {
    const label = toolLabel(call.name)
    switch (call.state) {
      case 'waiting':
        return `- ✋ ${label}: waits for an approver`
      case 'sending':
        return `- ▶️ ${label}`
      case 'answered':
        return call.errorCode || (call.responseStatus ?? 0) >= 400
          ? `- ✖️ ${label}: ${call.responseStatus ?? call.errorCode}`
          : `- ✔️ ${label}`
      default:
        return `- ✖️ ${label}: ${call.errorCode ?? call.state}`
    }
  })
  return [...(calls.length > maxLines ? [`- … ${calls.length - maxLines} earlier`] : []), ...lines].join('\n')
}
