import {
  type ApprovalId,
  type ChannelId,
  type MessageId,
  newId,
  type RunId,
  type ToolCallId,
} from '../ids.ts'
import type { Jobs } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import type { Queue } from '../platform/queue/queue.ts'
import type { Approval, ApprovalKind, Person, RenderedRequest } from './approval.ts'
import { insertApproval } from './store.ts'

type Context = { db: Db; queue: Queue<Jobs> }

type Question = {
  kind: ApprovalKind
  callId: ToolCallId
  runId: RunId
  tool: Pick<Approval, 'toolId' | 'connectorId' | 'capability' | 'toolVersion' | 'connectorVersion'> & {
    name: string
  }
  request: RenderedRequest
  digest: string
  requestedBy: Person
  channelId: ChannelId
  threadId: MessageId | null
  expiresInSeconds: number
}

/** Runs in the transaction that puts the tool call to waiting: there is never one without the other. */
export async function requestApproval({ db, queue }: Context, question: Question): Promise<ApprovalId> {
  const id = newId('approval')
  const { tool, requestedBy } = question
  await insertApproval(
    db,
    {
      id,
      kind: question.kind,
      runId: question.runId,
      callId: question.callId,
      tool: tool.name,
      toolId: tool.toolId,
      connectorId: tool.connectorId,
      capability: tool.capability,
      request: question.request,
      digest: question.digest,
      toolVersion: tool.toolVersion,
      connectorVersion: tool.connectorVersion,
      requestedBy: { kind: requestedBy.kind, id: requestedBy.id, name: requestedBy.name },
      channelId: question.channelId,
      threadId: question.threadId,
    },
    question.expiresInSeconds,
  )
  await queue.send(db, 'approval.show', { approvalId: id }, { key: id })
  return id
}
