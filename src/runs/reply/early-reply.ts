import { type Chat, ChatError } from '../../chat/chat.ts'
import type { Db } from '../../platform/db/database.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import type { Log } from '../../platform/log.ts'
import type { MessageId } from '../../shared/ids.ts'
import { toolLabel } from '../../shared/tool-label.ts'
import { type Step, textOf } from '../loop/journal.ts'
import { listAsking } from '../loop/tool-calls/list-asking.ts'
import type { ToolSet } from '../loop/tool-calls/tool-set.ts'
import type { Reply } from '../store/replies.ts'
import type { Run } from '../store/run-rows.ts'
import { postToThread } from '../threads/post-to-thread.ts'
import { readPlace } from './read-place.ts'

type Context = { db: Db; chat: Chat; log: Log }

const waitingMark = '⏳ _Waiting for a decision: '

/**
 * What the model wrote beside calls that ask somebody is posted before it waits, perhaps for a day: the findings are needed now. It is
 * the run's one reply, with its key, and becomes the final text at the end. Returns the message; null if there is nothing to say yet.
 */
export async function postEarlyReply(
  ctx: Context,
  run: Run,
  steps: readonly Step[],
  set: ToolSet,
): Promise<MessageId | null> {
  const { channelId } = run
  const asking = steps.map((step, at) => ({ step, calls: listAsking(run, set, steps.slice(0, at + 1)) }))
  const last = asking.at(-1)?.calls ?? []
  const findings = asking.flatMap(({ step, calls }) => (calls.length > 0 ? textOf(step) : [])).filter(Boolean)
  if (run.dry || channelId === null || last.length === 0 || findings.length === 0) return null
  const labels = [...new Set(last.map(({ name }) => toolLabel(name)))].join(', ')
  const text = replaceNul([...findings, `${waitingMark}${labels}._`].join('\n\n'))
  try {
    const { posted, keyed, origin } = await readPlace(ctx.db, run)
    const post = {
      channelId,
      threadId: run.threadId,
      text,
      key: run.id,
      runId: run.id,
      origin,
      author: 'agent' as const,
    }
    const { messageId } = keyed ? await postToThread(ctx, keyed, post) : await ctx.chat.post(post)
    if (posted !== null && posted !== text) await ctx.chat.update(messageId, { text })
    return messageId
  } catch (error) {
    if (!(error instanceof ChatError)) throw error
    // The question itself is more important; the reply at the end is tried again.
    ctx.log.warn({ err: error, runId: run.id }, 'reply.not_posted_early')
    return null
  }
}

/** The text with which an early reply ends, of which this is posted; null if there was none. */
export function finishEarlyReply(
  posted: string | null,
  { kind, text }: Pick<Reply, 'kind' | 'text'>,
): string | null {
  const findings = posted === null ? null : earlyTextOf({ text: posted })
  if (findings === null) return null
  if (kind === 'answer') return text
  return kind === 'notice' ? `${findings}\n\n${text}` : findings
}

/** What an unfinished run has said so far. */
export function earlyTextOf(message: { text: string }): string | null {
  const end = message.text.lastIndexOf(waitingMark)
  return end < 0 ? null : message.text.slice(0, end).trimEnd()
}
