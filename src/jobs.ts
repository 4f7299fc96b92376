import type { Db } from './platform/db/database.ts'
import type { JobSettings, Queue } from './platform/queue/queue.ts'
import type {
  ApprovalId,
  ChannelId,
  EventId,
  MessageId,
  PolicyId,
  QuestionId,
  RehearsalId,
  RunId,
  SourceId,
  WorkspaceId,
} from './shared/ids.ts'

/**
 * Everything that happens later. A job survives a crash, so whatever must not be lost is one of these. Before the
 * colon: who enqueues it → who does it.
 */
export type Jobs = {
  /** events → runs: the dispatcher chose an event, which becomes a run. */
  'run.start': { runId: RunId; eventId: EventId; sourceId: SourceId }
  /** events → runs: a rule posts a text, or marks a thread, instead of a run. */
  'event.notify': { eventId: EventId }
  /**
   * runs, approvals → runs: there is something to do: a first step, a decided approval, or recovery after a crash.
   */
  'run.advance': { runId: RunId }
  /** runs → runs: the reply is stored and waits to be posted. */
  'reply.post': { runId: RunId }
  /** approvals → approvals: the card in the channel must show the approval as it is now. */
  'approval.show': { approvalId: ApprovalId }
  /** approvals → approvals: half of the time has passed and nobody has decided. */
  'approval.remind': { approvalId: ApprovalId }
  /** approvals → approvals: nobody has decided for as long as this step says, and another group is mentioned. */
  'approval.escalate': { approvalId: ApprovalId; step: number }
  /** approvals → approvals: a day is over, and the channel is told what a policy let through. */
  'approval.report': { policyId: PolicyId; channelId: ChannelId; day: string }
  /** tools → tools: the message in the thread must show the question of an MCP server as it is now. */
  'question.show': { questionId: QuestionId }
  /** chat → chat: a chat platform sent something that waits to be read. */
  'chat.inbound': { workspaceId: WorkspaceId; threadKey: string }
  /** chat → runs: somebody wrote to the agent. */
  'message.received': { messageId: MessageId }
  /** chat → runs: if its run has not begun by then, the thread shows that it waits. */
  'message.queued': { messageId: MessageId }
  /** rehearsals → rehearsals: the turn of one event, or of a run of it that was interrupted. */
  'rehearsal.event': { rehearsalId: RehearsalId; eventId: EventId }
}

export type JobQueue = Queue<Jobs>

/** What enqueueing needs. When `db` is a transaction, the job is enqueued only if it commits. */
export type JobSender = { db: Db; queue: JobQueue }

export const jobs: { [Name in keyof Jobs]: JobSettings } = {
  'run.start': { tries: 5, backoffSeconds: 1 },
  'event.notify': { tries: 20, backoffSeconds: 1 },
  'run.advance': { tries: 8, backoffSeconds: 1, onePerKey: true },
  'reply.post': { tries: 20, backoffSeconds: 1, onePerKey: true },
  'approval.show': { tries: 20, backoffSeconds: 1 },
  'approval.remind': { tries: 5, backoffSeconds: 1 },
  'approval.escalate': { tries: 20, backoffSeconds: 1 },
  'approval.report': { tries: 8, backoffSeconds: 1 },
  'question.show': { tries: 8, backoffSeconds: 1 },
  'chat.inbound': { tries: 8, backoffSeconds: 1 },
  'message.received': { tries: 5, backoffSeconds: 1 },
  'message.queued': { tries: 2, backoffSeconds: 1 },
  'rehearsal.event': { tries: 5, backoffSeconds: 1, onePerKey: true },
}
