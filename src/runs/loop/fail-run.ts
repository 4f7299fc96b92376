import { dropWaitingCalls } from '../../tools/end-tool-calls.ts'
import { composeNotice } from '../reply/compose-notice.ts'
import { deliverReply, type ReplyContext } from '../reply/post-reply.ts'
import { saveFailure } from '../store/replies.ts'
import type { Run } from '../store/run-rows.ts'
import type { WorkSession } from './hold-lease.ts'

type Context = ReplyContext & { publicUrl: string }

/** The run cannot go on. Its reply is a short notice, posted like every reply. */
export async function failRun(
  ctx: Context,
  run: Run,
  { code, message }: { code: string; message: string },
  session: Pick<WorkSession, 'workMs'>,
): Promise<string> {
  const notice = composeNotice(code, `${ctx.publicUrl}/runs/${run.id}`)
  await ctx.db.transaction().execute(async (tx) => {
    await saveFailure(tx, run, { code, message, notice, workMs: session.workMs() })
    await dropWaitingCalls({ db: tx, queue: ctx.queue }, run.id)
  })
  await deliverReply(
    ctx,
    { ...run, errorCode: code, errorMessage: message },
    { kind: 'notice', text: notice },
  )
  return code
}
