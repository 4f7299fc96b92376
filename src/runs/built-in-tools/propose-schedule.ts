import type { Chat } from '../../chat/chat.ts'
import { cleanReply } from '../../chat/text/clean-reply.ts'
import { Problem } from '../../http/problems.ts'
import { writeClock } from '../../shared/wording/write-time.ts'
import type { RequestedCall } from '../loop/journal.ts'
import type { Run } from '../store/run-rows.ts'
import { proposeScheduleInput } from './built-in-tools.ts'

export type ProposeContext = {
  chat: Pick<Chat, 'post'>
  publicUrl: string
  sources: {
    /** The times in words, and the next ones. Throws a Problem that says what is wrong with them. */
    previewTiming(asked: Timing): Promise<{ inWords: string; timeZone: string; nextTimes: string[] }>
  }
}

type Timing = { cron?: string | undefined; at?: string | undefined; timeZone?: string | undefined }

/**
 * Shows people in the thread what the schedule would be. Only an operator who opens the link and saves the form creates it: what
 * anybody writes in the chat confirms nothing.
 */
export async function proposeSchedule(
  ctx: ProposeContext,
  run: Run,
  call: RequestedCall,
): Promise<{ ok: boolean; says: string }> {
  const asked = proposeScheduleInput.safeParse(call.input)
  if (!asked.success)
    return {
      ok: false,
      says: 'Give name, prompt, and cron or at; timeZone if it is another than the usual one.',
    }
  const { name, prompt, ...timing } = asked.data
  if (run.trigger !== 'chat' || run.threadSourceId || run.channelId === null)
    return {
      ok: false,
      says: 'Schedules can only be proposed in a thread that began with a person’s request.',
    }
  try {
    const { inWords, timeZone, nextTimes } = await ctx.sources.previewTiming(timing)
    if (run.dry) return { ok: true, says: 'ok, in a dry run: nothing was proposed.' }
    const times = nextTimes.slice(0, 3).map((at) => writeClock(new Date(at), timeZone))
    const query = new URLSearchParams({ run: run.id, call: call.callId, zone: timeZone })
    const url = `${ctx.publicUrl}/schedules/new?${query}`
    const lines = [
      `🗓️ Proposed schedule: **${oneLine(name)}**`,
      `${inWords}. Next: ${times.join(' · ')}`,
      ...cleanReply(prompt)
        .split('\n')
        .map((line) => `> ${line}`),
      '',
      `Nothing is scheduled yet. An operator can check and confirm it: ${url}`,
    ]
    const post = { channelId: run.channelId, threadId: run.threadId, text: lines.join('\n') }
    await ctx.chat.post({ ...post, key: `propose ${call.callId}`, author: 'system' })
    return {
      ok: true,
      says: `Proposed in the thread: ${inWords}. Nothing is scheduled until an operator confirms it there with the link. Say so in one sentence; do not repeat the proposal.`,
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { ok: false, says: error.errors?.[0]?.detail ?? error.message }
  }
}

function oneLine(text: string): string {
  return cleanReply(text)
    .replaceAll(/[\s*]+/g, ' ')
    .trim()
}
