import type { JobSender } from '../../jobs.ts'
import type { ChannelId, MessageId, QuestionId, RunId } from '../../shared/ids.ts'
import { writeTime } from '../../shared/wording/write-time.ts'
import { findQuestion, type QuestionRow, saveQuestionMessage } from './store.ts'

type Post = { channelId: ChannelId; threadId: string; runId: RunId; key: string; text: string }

type Context = Pick<JobSender, 'db'> & {
  publicUrl: string
  settings: { read(): Promise<{ timeZone: string }> }
  chat: {
    post(message: Post): Promise<{ messageId: MessageId }>
    update(messageId: MessageId, change: { text: string }): Promise<boolean>
  }
}

/** Posts the question, or makes its message show what became of it. May run any number of times. */
export async function showInThread(ctx: Context, id: QuestionId): Promise<void> {
  const question = await findQuestion(ctx.db, id)
  if (!question) return
  const { channelId, threadId, runId, state, messageId } = question
  const { timeZone } = await ctx.settings.read()
  const text = textOf(question, ctx.publicUrl, timeZone)
  if (messageId !== null) {
    await ctx.chat.update(messageId, { text })
  } else if (state === 'pending') {
    const posted = await ctx.chat.post({ channelId, threadId, runId, key: id, text })
    await saveQuestionMessage(ctx.db, id, posted.messageId)
    // It may have been answered meanwhile.
    await showInThread(ctx, id)
  }
}

/** The server's words stand on the page, where they are fenced; a thread would render them as ours. */
function textOf(
  { id, connectorName, state, url, expiresAt }: QuestionRow,
  publicUrl: string,
  timeZone: string,
): string {
  const asks = url === null ? 'asks you something' : 'wants you to open a page'
  switch (state) {
    case 'pending':
      return `**${connectorName}** ${asks} before the call goes on: [Answer](${publicUrl}/questions/${id}) (until ${writeTime(expiresAt, timeZone)}). Only you can answer.`
    case 'accepted':
      return `**${connectorName}** asked something, and it was answered.`
    case 'declined':
      return `**${connectorName}** asked something, and the answer was declined.`
    case 'expired':
      return `**${connectorName}** asked something. Nobody answered in time.`
    case 'ended':
      return `**${connectorName}** asked something. The call ended before there was an answer.`
    default:
      throw new Error(`Unhandled state ${state satisfies never}`)
  }
}
