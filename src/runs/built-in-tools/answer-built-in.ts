import type { ToolResultPart } from 'ai'
import { sql } from 'kysely'
import { findFileText } from '../../chat/files/store.ts'
import type { Db } from '../../platform/db/database.ts'
import { roundNumbers } from '../../platform/json/round-numbers.ts'
import type { Actor } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import { idPattern } from '../../shared/ids.ts'
import type { GateContext } from '../../tools/gate/gate-call.ts'
import { listWaitingCalls, withdrawCall } from '../../tools/waiting-calls.ts'
import type { RequestedCall } from '../loop/journal.ts'
import type { CallEnvironment } from '../loop/tool-calls/call-environment.ts'
import { delimit } from '../prompt/delimiter.ts'
import { pageNote } from '../prompt/paging/page-note.ts'
import { readPage } from '../prompt/paging/read-page.ts'
import { resultPart } from '../prompt/render-answer.ts'
import { describeRequester } from '../prompt/turn-note.ts'
import type { Run } from '../store/run-rows.ts'
import {
  calculateInput,
  earlierEventsInput,
  findToolsInput,
  readMoreInput,
  withdrawCallInput,
} from './built-in-tools.ts'
import { CalculationError, calculate } from './calculate.ts'
import { type ComeBackContext, comeBackLater } from './come-back.ts'
import { findEarlierBody, findEarlierEvents, writeEarlierEvents } from './earlier-events.ts'
import { nameNearestTools } from './name-nearest-tools.ts'
import { type ProposeContext, proposeSchedule } from './propose-schedule.ts'
import { searchTools } from './search-tools.ts'

type Context = GateContext & ProposeContext & ComeBackContext & { audit: Audit }

/** An answer, how long it is, and how it is shown in the room it gets. */
export type PendingResult = {
  bytes: number
  render: (maxBytes: number) => ToolResultPart | Promise<ToolResultPart>
}

/** The tools that Bellhop answers itself. None of them reaches anything but the thread. */
export async function answerBuiltIn(
  ctx: Context,
  env: CallEnvironment,
  call: RequestedCall,
): Promise<PendingResult> {
  switch (call.name) {
    case 'read_more':
      return await readMore(ctx, env, call)
    case 'calculate':
      return calculated(call)
    case 'find_tools':
      return foundTools(env, call)
    case 'withdraw_call':
      return await withdraw(ctx, env, call)
    case 'propose_schedule': {
      const { ok, says } = await proposeSchedule(ctx, env.run, { ...call, input: roundNumbers(call.input) })
      return ok ? shortResult(call, { type: 'text', value: says }) : refusal(call, says)
    }
    case 'come_back': {
      const { ok, says } = await comeBackLater(ctx, env.run, { ...call, input: roundNumbers(call.input) })
      return ok ? shortResult(call, { type: 'text', value: says }) : refusal(call, says)
    }
    case 'earlier_events':
      return await earlierEvents(ctx, env, call)
    default:
      throw new Error(`Unhandled tool ${call.name}`)
  }
}

/** The model is told what was wrong with its call, and may correct itself. */
export function refusal(call: RequestedCall, message: string): PendingResult {
  return shortResult(call, { type: 'error-text', value: `error invalid_input: ${message}` })
}

function shortResult(
  call: RequestedCall,
  output: { type: 'text' | 'error-text'; value: string },
): PendingResult {
  return { bytes: Buffer.byteLength(output.value), render: () => resultPart(call, output) }
}

function calculated(call: RequestedCall): PendingResult {
  const asked = calculateInput.safeParse(call.input)
  if (!asked.success) return refusal(call, 'Give an expression (text).')
  try {
    return shortResult(call, { type: 'text', value: calculate(asked.data.expression) })
  } catch (error) {
    if (error instanceof CalculationError) return refusal(call, error.message)
    throw error
  }
}

function foundTools({ set, run }: CallEnvironment, call: RequestedCall): PendingResult {
  const asked = findToolsInput.safeParse(roundNumbers(call.input))
  if (!asked.success) return refusal(call, 'Give a query (text).')
  const found = searchTools(set.tools, asked.data.query)
  const value =
    found.length === 0
      ? 'No tool matches these words. Try other words: what the tool does, or what it is about.'
      : delimit(
          run.delimiter,
          'tools',
          found.map(({ name, description }) => `${name}: ${description}`).join('\n'),
        )
  return shortResult(call, { type: 'text', value })
}

/** Whoever asked for a call may take it back, and so may an admin. */
async function withdraw(ctx: Context, { run }: CallEnvironment, call: RequestedCall): Promise<PendingResult> {
  const asked = withdrawCallInput.safeParse(roundNumbers(call.input))
  if (!asked.success) return refusal(call, 'Give the id of the call, and optionally why.')
  const waiting = run.threadId ? await listWaitingCalls(ctx.db, run.threadId) : []
  const found = waiting.find(({ callId }) => callId === asked.data.call)
  if (!found) {
    const ids = waiting.map(({ callId }) => callId).join(', ')
    return refusal(
      call,
      `No such call waits in this thread. ${ids ? `These wait: ${ids}.` : 'No call waits here.'}`,
    )
  }
  const by = await actorOf(ctx, run.requester)
  const isOwn = found.requestedBy.kind === run.requester.kind && found.requestedBy.id === run.requester.id
  if (!isOwn && by.role !== 'admin') {
    const message = `Only an admin or ${describeRequester(found.requestedBy)}, who asked for it, may have it taken back. An admin can also deny it on its card.`
    return shortResult(call, { type: 'error-text', value: `error denied: ${message}` })
  }
  if (run.dry) return shortResult(call, { type: 'text', value: 'ok, in a dry run: nothing was withdrawn.' })
  const isWithdrawn = await ctx.db
    .transaction()
    .execute((tx) => withdrawCall({ ...ctx, db: tx }, found, by, asked.data.why ?? null))
  return shortResult(call, {
    type: 'text',
    value: isWithdrawn
      ? 'Withdrawn. It will not be sent.'
      : 'It was decided a moment ago. Look at its outcome.',
  })
}

async function actorOf(ctx: Context, { kind, id, name }: Run['requester']): Promise<Actor> {
  if (kind !== 'user' && kind !== 'api-key') return { kind: 'anonymous', id, name, role: 'none' }
  return { kind, id, name, role: (await ctx.rights.roleOf(ctx.db, { kind, id })) ?? 'none' }
}

async function readMore(ctx: Context, env: CallEnvironment, call: RequestedCall): Promise<PendingResult> {
  const asked = readMoreInput.safeParse(roundNumbers(call.input))
  if (!asked.success) return refusal(call, 'Give source, and optionally pointer, from and contains.')
  const { source, ...part } = asked.data
  const text = await findSource(ctx.db, env, source)
  if (text === null)
    return refusal(call, `There is no source ${source}. Use "event" or the id from the note.`)
  const first = await readPage(text, { ...part, maxBytes: env.maxBytes.each })
  const bytes = Buffer.byteLength(first.text)
  return {
    bytes,
    async render(maxBytes) {
      const page = bytes <= maxBytes ? first : await readPage(text, { ...part, maxBytes })
      const shown = delimit(env.run.delimiter, `part of ${source}`, page.text)
      const value = [shown, pageNote(source, page, part)].filter((line) => line !== null).join('\n')
      return resultPart(call, { type: 'text', value })
    },
  }
}

async function findSource(db: Db, env: CallEnvironment, source: string): Promise<string | null> {
  if (source === 'event') return env.eventText
  if (idPattern('file').test(source))
    return env.run.threadId && (await findFileText(db, source, env.run.threadId))
  return (await findEarlierBody(db, env.run, source)) ?? (await findToolAnswer(db, env, source))
}

async function findToolAnswer(
  db: Db,
  { run, earlierRunIds }: CallEnvironment,
  callId: string,
): Promise<string | null> {
  if (!idPattern('toolCall').test(callId)) return null
  const runIds = [run.id, ...earlierRunIds]
  const { rows } = await sql<{ responseBody: string | null }>`
    select response_body from tool_calls
    where (id = ${callId} and run_id = any(${runIds}))
      -- A dry run was given the answer of the original run.
      or id = (select recorded_call_id from dry_calls where call_id = ${callId} and run_id = any(${runIds}))
    limit 1`.execute(db)
  return rows[0]?.responseBody ?? null
}

async function earlierEvents(
  { db }: Context,
  { run, set, earlierRunIds }: CallEnvironment,
  call: RequestedCall,
): Promise<PendingResult> {
  const asked = earlierEventsInput.safeParse(roundNumbers(call.input ?? {}))
  if (!asked.success) return refusal(call, 'Give about: words of the event, or nothing for the newest ones.')
  const found = await findEarlierEvents(db, run, asked.data.about, earlierRunIds)
  if (!found) return refusal(call, nameNearestTools(set, call.name))
  const write = (maxBytes: number) => writeEarlierEvents(found, run.delimiter, maxBytes)
  return {
    bytes: Buffer.byteLength(write(Number.POSITIVE_INFINITY)),
    render: (maxBytes) => resultPart(call, { type: 'text', value: write(maxBytes) }),
  }
}
