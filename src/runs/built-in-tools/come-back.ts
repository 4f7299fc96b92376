import type { Chat } from '../../chat/chat.ts'
import { cleanReply } from '../../chat/text/clean-reply.ts'
import { Problem } from '../../http/problems.ts'
import type { ChannelId, MessageId } from '../../shared/ids.ts'
import { writeTime } from '../../shared/wording/write-time.ts'
import type { RequestedCall } from '../loop/journal.ts'
import type { Run } from '../store/run-rows.ts'
import { comeBackInput } from './built-in-tools.ts'

type Asked = {
  threadId: MessageId
  channelId: ChannelId
  why: string
  inMinutes?: number | undefined
  at?: string | undefined
}

export type ComeBackContext = {
  chat: Pick<Chat, 'post'>
  publicUrl: string
  sources: {
    /** The agent continues the thread then. Throws a Problem that says what is wrong with the time. */
    comeBack(asked: Asked): Promise<{ id: string; at: Date; timeZone: string }>
    /** True if it would have come back to the thread. */
    cancelComeBack(threadId: MessageId): Promise<boolean>
  }
}

/** The thread shows when the agent looks again. Whoever writes there can have it cancelled; an operator also on the page of the link. */
export async function comeBackLater(
  ctx: ComeBackContext,
  { trigger, channelId, threadId, threadSourceId, dry }: Run,
  call: RequestedCall,
): Promise<{ ok: boolean; says: string }> {
  const asked = comeBackInput.safeParse(call.input)
  if (!asked.success) return { ok: false, says: 'Give inMinutes or at, and why; or cancel: true.' }
  if (trigger !== 'chat' || threadSourceId || channelId === null || threadId === null)
    return { ok: false, says: 'You can come back only to a thread that began with a person’s request.' }
  if (dry) return { ok: true, says: 'ok, in a dry run: nothing was planned or cancelled.' }
  const { cancel, why, ...time } = asked.data
  if (cancel) {
    const wasPlanned = await ctx.sources.cancelComeBack(threadId)
    return { ok: true, says: wasPlanned ? 'Cancelled.' : 'Nothing was planned in this thread.' }
  }
  if ((time.inMinutes === undefined) === (time.at === undefined) || !why)
    return { ok: false, says: 'Give why, and either inMinutes or at.' }
  try {
    const { id, at, timeZone } = await ctx.sources.comeBack({ threadId, channelId, why, ...time })
    const when = writeTime(at, timeZone)
    const reason = cleanReply(why).replaceAll(/\s+/g, ' ').trim()
    const text = `⏰ I will look again at ${when}: ${reason}\nTo cancel it, tell me here, or delete it at ${ctx.publicUrl}/schedules/${id}`
    await ctx.chat.post({ channelId, threadId, text, key: `come back ${call.callId}`, author: 'system' })
    return {
      ok: true,
      says: `Planned for ${when}; the thread shows it. You will have read tools only. End this turn with a short answer.`,
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { ok: false, says: error.errors?.[0]?.detail ?? error.message }
  }
}
