import { setTimeout as pause } from 'node:timers/promises'
import type { AskPerson, PersonAnswer } from '../../connectors/call/callable-tool.ts'
import type { JobSender } from '../../jobs.ts'
import { newId, type QuestionId, type UserId } from '../../shared/ids.ts'
import type { GateCall } from '../gate/gate-call.ts'
import { endQuestion, findQuestion, forgetAnswer, insertQuestion } from './store.ts'

const expiresInSeconds = 5 * 60
const lookEveryMs = 500

/**
 * How the server of a call asks the person who wrote to the agent. Null if nobody can answer: the call was not asked for in a thread, or by
 * somebody who cannot sign in.
 */
export function openAskPerson(ctx: JobSender, asked: GateCall, connectorName: string): AskPerson | null {
  const { requester, threadId } = asked
  if (requester.kind !== 'user' || threadId === null) return null
  return async (question, signal) => {
    const id = newId('question')
    const { callId, runId, channelId } = asked
    await ctx.db.transaction().execute(async (tx) => {
      const place = { callId, runId, channelId, threadId, userId: requester.id as UserId, connectorName }
      await insertQuestion(tx, { ...question, ...place, id, expiresInSeconds })
      await showQuestion({ ...ctx, db: tx }, id)
      await showQuestion({ ...ctx, db: tx }, id, (expiresInSeconds + 1) * 1000)
    })
    try {
      return await waitForAnswer(ctx, id, signal)
    } finally {
      // Also if the call was cut off: nobody is to answer in vain.
      await endQuestion(ctx.db, id, 'ended')
      await showQuestion(ctx, id)
    }
  }
}

/** The message in the thread shows the question as it is by then. */
export async function showQuestion({ db, queue }: JobSender, id: QuestionId, startAfter = 0): Promise<void> {
  await queue.send(
    db,
    'question.show',
    { questionId: id },
    { key: id, ...(startAfter ? { startAfter } : {}) },
  )
}

async function waitForAnswer({ db }: JobSender, id: QuestionId, signal: AbortSignal): Promise<PersonAnswer> {
  for (;;) {
    const row = await findQuestion(db, id)
    switch (row?.state) {
      case 'pending':
        await pause(lookEveryMs, undefined, { signal })
        break
      case 'accepted':
        await forgetAnswer(db, id)
        return { action: 'accept', ...(row.answer === null ? {} : { content: JSON.parse(row.answer) }) }
      case 'declined':
        return { action: 'decline' }
      default:
        return { action: 'cancel' }
    }
  }
}
