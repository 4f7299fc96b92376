import { asSchema, type ModelMessage, type ToolSet as SdkTools } from 'ai'
import { problem } from '../../http/problems.ts'
import { contextWindowOf } from '../../models/context-windows.ts'
import { takesImages } from '../../models/model.ts'
import type { Db } from '../../platform/db/database.ts'
import { chooseNamed, type ModelContext } from '../../settings/choose-model.ts'
import type { RunId } from '../../shared/ids.ts'
import { listFound, mustSearch, selectTools } from '../built-in-tools/built-in-tools.ts'
import { eventSourceOf } from '../built-in-tools/earlier-events.ts'
import type { PromptPart } from '../contract.ts'
import type { ToolSets } from '../loop/tool-calls/tool-set.ts'
import { readInitialMessages } from '../prompt/read-initial-messages.ts'
import { findRun, type Run } from '../store/run-rows.ts'
import { listCalls } from '../store/steps.ts'

type Context = ModelContext & { db: Db; toolSets: ToolSets }

/** English has about four letters per token. Only the provider counts exactly, and only the whole. */
const bytesPerToken = 4

/**
 * What the model was sent at the first step, as a person reads it, in the order in which a provider caches it. Composed again from what
 * is stored, like after a crash: a thread shows replies that came later too.
 */
export async function showPrompt(ctx: Context, id: RunId): Promise<{ parts: PromptPart[] }> {
  const run = await findRun(ctx.db, id)
  if (!run) throw problem('not-found', 'The run has not begun, so no model was asked yet.')
  if (run.erased) throw problem('body-erased', 'The content of this run was erased with its event.')
  if (run.trigger === 'mcp')
    throw problem('not-found', 'No model was asked in this run: an MCP client made the call.')
  const [set, chosen] = await Promise.all([
    ctx.toolSets.recorded(run.toolSet),
    chooseNamed(ctx, { provider: run.modelProvider, name: run.modelName }),
  ])
  const contextTokens = chosen?.choice.contextTokens ?? contextWindowOf(run.modelName)
  const model = {
    provider: run.modelProvider,
    contextTokens,
    takesImages: chosen !== null && takesImages(chosen.choice.provider),
  }
  const initial = await readInitialMessages(ctx, run, model, null)
  const found = mustSearch(set) ? listFound(set, await listCalls(ctx.db, initial.earlierRunIds)) : []
  const tools = selectTools(
    { set, found, isAboutEvent: eventSourceOf(run) !== null, isChat: run.trigger === 'chat' },
    [],
  )
  return {
    parts: [
      measure('system', run.system),
      measure('tools', await writeTools(tools)),
      ...splitMessages(run, initial.messages, initial.eventText !== null),
    ],
  }
}

/** An event is in the last message, or in the first one of a thread that is about it. */
function splitMessages(run: Run, messages: readonly ModelMessage[], hasEvent: boolean): PromptPart[] {
  const isThread = run.trigger === 'chat'
  const before = messages.slice(0, -1)
  const history = isThread && hasEvent ? before.slice(1) : before
  const last = writeMessages(messages.slice(-1))
  const note = last.indexOf(run.turnNote)
  const end = note < 0 ? last.length : note + run.turnNote.length
  return [
    ...(isThread && hasEvent ? [measure('event', writeMessages(before.slice(0, 1)))] : []),
    measure('history', writeMessages(history)),
    measure('turn', last.slice(0, end)),
    measure(isThread ? 'request' : 'event', last.slice(end).trimStart()),
  ]
}

function measure(name: PromptPart['name'], text: string): PromptPart {
  const bytes = Buffer.byteLength(text)
  return { name, text, bytes, tokens: Math.ceil(bytes / bytesPerToken) }
}

async function writeTools(tools: SdkTools): Promise<string> {
  const written = Object.entries(tools).map(async ([name, { description, inputSchema }]) =>
    JSON.stringify({ name, description, inputSchema: await asSchema(inputSchema).jsonSchema }),
  )
  return (await Promise.all(written)).join('\n')
}

/** A line before each that says whose it is. The one message of a first turn needs none. */
function writeMessages(messages: readonly ModelMessage[]): string {
  const written = messages.flatMap(({ role, content }) =>
    typeof content === 'string'
      ? [{ role, text: content }]
      : content.map((part) => ({ role, text: writePart(part) })),
  )
  if (written.length === 1) return written[0]?.text ?? ''
  return written.map(({ role, text }) => `── ${role} ──\n${text}`).join('\n\n')
}

function writePart(part: Exclude<ModelMessage['content'], string>[number]): string {
  if (part.type === 'text' || part.type === 'reasoning') return part.text
  if (part.type === 'tool-call') return `calls ${part.toolName} ${JSON.stringify(part.input)}`
  if (part.type !== 'tool-result') return `(${part.type})`
  const { output } = part
  if (output.type === 'text' || output.type === 'error-text') return output.value
  if (output.type !== 'content') return JSON.stringify(output)
  return output.value.map((item) => (item.type === 'text' ? item.text : '(an image)')).join('\n')
}
