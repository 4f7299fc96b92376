import type { Chat } from '../../chat/chat.ts'
import type { Log } from '../../platform/log.ts'
import type { Run } from '../store/run-rows.ts'

/** A run about an event that finishes sooner shows no note. Somebody who asks sees at once that the agent is at it, or no longer waits. */
const quietMs = 1500

type WorkingNote = Disposable & { update(note: string): void }

/** "calling shop__get_order…" in the channel while a run is busy. Nothing depends on it. */
export function showWorking(ctx: { chat: Chat; log: Log }, run: Run): WorkingNote {
  const { channelId, threadId } = run
  if (channelId === null || run.dry) return { update: () => undefined, [Symbol.dispose]: () => undefined }
  let note = 'thinking…'
  let shown = false
  const show = (text: string | null) =>
    ctx.chat
      .showWorking(channelId, threadId, text, run.id)
      .catch((error: unknown) => ctx.log.debug({ err: error, runId: run.id }, 'working.not_shown'))
  const timer = setTimeout(
    () => {
      shown = true
      void show(note)
    },
    run.trigger === 'chat' ? 0 : quietMs,
  )
  return {
    update(text) {
      if (text === note) return
      note = text
      if (shown) void show(text)
    },
    [Symbol.dispose]() {
      clearTimeout(timer)
      if (shown) void show(null)
    },
  }
}
