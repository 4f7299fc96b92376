import type { Chat } from '../chat/chat.ts'
import type { PostNotice } from '../events/inbox/report-dead-event.ts'

/** Posts a notice that is not from the agent. */
export function postNoticeWith({ chat }: { chat: Pick<Chat, 'post'> }): PostNotice {
  return async (channelId, text, key) =>
    void (await chat.post({ channelId, threadId: null, text, key, author: 'system' }))
}
