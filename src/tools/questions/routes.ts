import { z } from 'zod'
import type { SchemaCache } from '../../connectors/schema/compile-schema.ts'
import { endpoint } from '../../http/endpoint.ts'
import { idParam } from '../../http/id-param.ts'
import type { JobSender } from '../../jobs.ts'
import type { UserId } from '../../shared/ids.ts'
import { answerQuestion, getQuestion } from './answer-question.ts'
import { answerInput, type QuestionShape, questionShape } from './contract.ts'
import { listPendingQuestions, type QuestionRow } from './store.ts'

type Context = JobSender & { connectors: { schemas: SchemaCache } }

const define = endpoint<Context>()
const params = z.object({ id: idParam('question') })

export const listQuestions = define({
  summary: 'List the questions of MCP servers that wait for your answer',
  returns: z.object({ items: z.array(questionShape) }),
  async answer({ db }, { actor }) {
    // The id of an actor who is a user is that of the user.
    const rows = actor.kind === 'user' ? await listPendingQuestions(db, actor.id as UserId) : []
    return { items: rows.map(toShape) }
  },
})

export const readQuestion = define({
  summary: 'Get a question that an MCP server asks you in the middle of a call',
  params,
  returns: questionShape,
  problems: ['not-found'],
  answer: async (ctx, { params: { id }, actor }) => toShape(await getQuestion(ctx, actor, id)),
})

export const answerOne = define({
  summary: 'Answer a question of an MCP server, or decline to',
  params,
  body: answerInput,
  returns: questionShape,
  problems: ['not-found', 'question-not-pending'],
  answer: async (ctx, { params: { id }, body, actor }) => toShape(await answerQuestion(ctx, actor, id, body)),
})

function toShape({
  id,
  runId,
  channelId,
  connectorName,
  message,
  schema,
  url,
  state,
  expiresAt,
}: QuestionRow): QuestionShape {
  return {
    id,
    runId,
    channelId,
    connectorName,
    message,
    // We wrote this text ourselves, from an object.
    schema: schema === null ? null : (JSON.parse(schema) as Record<string, unknown>),
    url,
    state,
    expiresAt: expiresAt.toISOString(),
  }
}
