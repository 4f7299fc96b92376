import type { Chat } from '../../chat/chat.ts'
import type { Log } from '../../platform/log.ts'
import type { Run } from '../store/run-rows.ts'

/** A run that finishes sooner shows no note. */
const quietMs = 1500

type WorkingNote = Disposable & { update(note: string): void }

function waitedMs({ askedAt, startedAt }: Run): number {
  return (startedAt?.getTime() ?? 0) - askedAt.getTime()
}

/** "calling shop__get_order…" in the channel while a run is busy. Nothing depends on it. */
export function showWorking(ctx: { chat: Chat; log: Log }, run: Run): WorkingNote {
  const { channelId, threadId } = run
  if (channelId === null || run.dry) return { update: () => undefined, [Symbol.dispose]: () => undefined }
  let note = 'thinking…'
  // The thread says that its request waits, see show-queued.ts.
  let shown = run.trigger === 'chat' && waitedMs(run) > quietMs
  const show = (text: string | null) =>
    ctx.chat
      .showWorking(channelId, threadId, text)
      .catch((error: unknown) => ctx.log.debug({ err: error, runId: run.id }, 'working.not_shown'))
  if (shown) void show(note)
  const timer = setTimeout(() => {
    shown = true
    void show(note)
  }, quietMs)
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
