import { checkInput } from '../../connectors/call/check-input.ts'
import type { SchemaCache } from '../../connectors/schema/compile-schema.ts'
import { invalidFields, problem } from '../../http/problems.ts'
import type { JobSender } from '../../jobs.ts'
import { isObject } from '../../platform/json/is-object.ts'
import type { Actor } from '../../shared/actor.ts'
import type { QuestionId } from '../../shared/ids.ts'
import { showQuestion } from './ask-person.ts'
import { endQuestion, findQuestion, type QuestionRow } from './store.ts'

type Answer = { action: 'accept'; input?: Record<string, unknown> | undefined } | { action: 'decline' }

/** Nobody but the person who is asked sees it. */
export async function getQuestion(
  { db }: Pick<JobSender, 'db'>,
  actor: Actor,
  id: QuestionId,
): Promise<QuestionRow> {
  const question = await findQuestion(db, id)
  if (question && actor.kind === 'user' && actor.id === question.userId) return question
  throw problem('not-found', 'There is no question with this id that you are asked.')
}

export async function answerQuestion(
  ctx: JobSender & { connectors: { schemas: SchemaCache } },
  actor: Actor,
  id: QuestionId,
  given: Answer,
): Promise<QuestionRow> {
  const question = await getQuestion(ctx, actor, id)
  const answer =
    given.action === 'accept' && question.schema !== null
      ? checkAnswer(ctx, question.schema, given.input)
      : undefined
  await ctx.db.transaction().execute(async (tx) => {
    const state = given.action === 'accept' ? 'accepted' : 'declined'
    if (!(await endQuestion(tx, id, state, answer)))
      throw problem(
        'question-not-pending',
        'The question was answered before, or the call no longer waits for an answer.',
      )
    await showQuestion({ ...ctx, db: tx }, id)
  })
  return await getQuestion(ctx, actor, id)
}

/** What was left out is what the server suggests (SEP-1034). */
function checkAnswer(
  ctx: { connectors: { schemas: SchemaCache } },
  text: string,
  input: Record<string, unknown> = {},
) {
  // We wrote this text ourselves, from an object.
  const schema = JSON.parse(text) as Record<string, unknown>
  const checked = checkInput(ctx.connectors.schemas, schema, { ...defaultsOf(schema), ...input })
  if (checked.ok) return checked.input
  throw invalidFields(checked.errors.map(({ pointer, detail }) => ({ pointer: `/input${pointer}`, detail })))
}

function defaultsOf({ properties }: Record<string, unknown>): Record<string, unknown> {
  const entries = isObject(properties) ? Object.entries(properties) : []
  return Object.fromEntries(
    entries.flatMap(([name, property]) =>
      isObject(property) && 'default' in property ? [[name, property.default]] : [],
    ),
  )
}
