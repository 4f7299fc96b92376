import { sql } from 'kysely'
import type { PersonAnswer, PersonQuestion } from '../../connectors/call/callable-tool.ts'
import type { Db } from '../../platform/db/database.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import { publishChange } from '../../shared/changes.ts'
import type { ChannelId, MessageId, QuestionId, RunId, ToolCallId, UserId } from '../../shared/ids.ts'

/** `expired`: nobody answered in time. `ended`: the call ended before. */
type QuestionState = 'pending' | 'accepted' | 'declined' | 'expired' | 'ended'

export type QuestionRow = {
  id: QuestionId
  runId: RunId
  connectorName: string
  userId: UserId
  channelId: ChannelId
  threadId: MessageId
  message: string
  /** JSON text. */
  schema: string | null
  url: string | null
  state: QuestionState
  /** JSON text. */
  answer: string | null
  messageId: MessageId | null
  expiresAt: Date
}

const stateNow = sql`case when state = 'pending' and expires_at <= clock_timestamp() then 'expired' else state end`
const columns = sql`id, run_id, connector_name, user_id, channel_id, thread_id, message, schema, url, ${stateNow} as state,
  answer, message_id, expires_at`

type NewQuestion = PersonQuestion & {
  id: QuestionId
  callId: ToolCallId
  runId: RunId
  connectorName: string
  userId: UserId
  channelId: ChannelId
  threadId: MessageId
  expiresInSeconds: number
}

export async function insertQuestion(tx: Db, question: NewQuestion): Promise<void> {
  const { id, callId, runId, connectorName, userId, channelId, threadId, expiresInSeconds } = question
  const schema = question.schema === null ? null : replaceNul(JSON.stringify(question.schema))
  await sql`
    insert into questions (id, call_id, run_id, connector_name, user_id, channel_id, thread_id, message, schema, url, state, expires_at)
    values (${id}, ${callId}, ${runId}, ${connectorName}, ${userId}, ${channelId}, ${threadId}, ${replaceNul(question.message)},
      ${schema}, ${question.url}, 'pending', clock_timestamp() + ${expiresInSeconds} * interval '1 second')`.execute(
    tx,
  )
  await publishChange(tx, 'questions', id)
}

export async function findQuestion(db: Db, id: QuestionId): Promise<QuestionRow | null> {
  const { rows } = await sql<QuestionRow>`select ${columns} from questions where id = ${id}`.execute(db)
  return rows[0] ?? null
}

/** The newest first. */
export async function listPendingQuestions(db: Db, userId: UserId): Promise<QuestionRow[]> {
  const { rows } = await sql<QuestionRow>`
    select ${columns} from questions
    where user_id = ${userId} and state = 'pending' and expires_at > clock_timestamp() order by id desc limit 50`.execute(
    db,
  )
  return rows
}

/** False if it is no longer pending. What has expired stays so. */
export async function endQuestion(
  tx: Db,
  id: QuestionId,
  state: 'accepted' | 'declined' | 'ended',
  content: PersonAnswer['content'] = undefined,
): Promise<boolean> {
  const answer = content === undefined ? null : JSON.stringify(content)
  const { numAffectedRows } = await sql`
    update questions set state = ${state}, answer = ${answer}
    where id = ${id} and state = 'pending' and expires_at > clock_timestamp()`.execute(tx)
  if (numAffectedRows) await publishChange(tx, 'questions', id)
  return numAffectedRows === 1n
}

/** The server has the answer: it is not kept here. */
export async function forgetAnswer(db: Db, id: QuestionId): Promise<void> {
  await sql`update questions set answer = null where id = ${id}`.execute(db)
}

export async function saveQuestionMessage(db: Db, id: QuestionId, messageId: MessageId): Promise<void> {
  await sql`update questions set message_id = ${messageId} where id = ${id}`.execute(db)
}

export async function deleteQuestions(tx: Db, runIds: readonly RunId[]): Promise<void> {
  await sql`delete from questions where run_id = any(${runIds})`.execute(tx)
}
