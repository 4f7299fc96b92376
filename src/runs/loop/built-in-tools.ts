import { jsonSchema, type ToolSet as SdkTools, tool } from 'ai'
import { z } from 'zod'
import { wordsOf } from '../../shared/words-of.ts'
import type { OfferedTool } from '../../tools/list-tools.ts'
import type { Step } from './journal.ts'
import type { ToolSet } from './tool-set.ts'

/** With more tools than this, the model searches for what it needs instead of reading all schemas at every step. */
const showAllUpTo = 40
const maxFound = 8

export const readMoreInput = z.object({
  source: z.string(),
  pointer: z.string().default(''),
  from: z.coerce.number().int().default(0),
  contains: z.string().default(''),
})

export const withdrawCallInput = z.object({ call: z.string(), why: z.string().max(500).optional() })

const withdrawCall = tool({
  description:
    'Takes back a call of this thread that still waits for a decision, because it was wrong or is no longer wanted. It is then not sent.',
  inputSchema: jsonSchema({
    type: 'object',
    properties: {
      call: { type: 'string', description: 'the id of the waiting call (call_…)' },
      why: { type: 'string', description: 'the reason, in a few words, for those who were asked' },
    },
    required: ['call'],
    additionalProperties: false,
  }),
})

export const findToolsInput = z.object({ query: z.string() })

const readMore = tool({
  description:
    'Reads on, or searches, in an event or in the answer of a tool that was too long to be shown whole. The note under the shown part says what to send.',
  inputSchema: jsonSchema({
    type: 'object',
    properties: {
      source: { type: 'string', description: '"event", or the id of a tool call (call_…)' },
      pointer: { type: 'string', description: 'JSON pointer to the part, e.g. /items; empty for all' },
      from: {
        type: 'integer',
        description: 'the first item, member or character (with contains: match); -20 gives the last 20',
      },
      contains: {
        type: 'string',
        description: 'only what contains this text, in capitals or not, with its surroundings and positions',
      },
    },
    required: ['source'],
    additionalProperties: false,
  }),
})

const alwaysShown: SdkTools = { read_more: readMore, withdraw_call: withdrawCall }

/** The tools that Bellhop itself answers. Names of connectors' tools contain two underscores, so they never clash with these. */
export function isBuiltInTool(name: string): boolean {
  return name === 'read_more' || name === 'find_tools' || name === 'withdraw_call'
}

/** The tools that the model is shown at this step. */
export function selectTools(set: ToolSet, steps: readonly Step[]): SdkTools {
  if (set.tools.length <= showAllUpTo) return { ...set.sdk, ...alwaysShown }
  const loaded = new Set(
    steps.flatMap(({ calls }) => calls.flatMap(({ name, input }) => namesAskedFor(set, name, input))),
  )
  const shown = Object.entries(set.sdk).filter(([name]) => loaded.has(name))
  return { ...Object.fromEntries(shown), ...alwaysShown, find_tools: describeFindTools(set) }
}

/** A tool that was found, or called by its exact name, is shown from then on. */
function namesAskedFor(set: ToolSet, name: string, input: unknown): string[] {
  if (name !== 'find_tools') return [name]
  const asked = findToolsInput.safeParse(input)
  return asked.success ? findTools(set, asked.data.query).map((found) => found.name) : []
}

export function findTools(set: ToolSet, query: string): OfferedTool[] {
  const words = stemsOf(query)
  return set.tools
    .map((offered) => ({ offered, score: scoreOf(offered, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxFound)
    .map(({ offered }) => offered)
}

function scoreOf({ name, description, connectorName }: OfferedTool, words: readonly string[]): number {
  const inName = new Set(stemsOf(name))
  const inText = new Set(stemsOf(`${description} ${connectorName}`))
  return words.reduce((sum, word) => sum + (inName.has(word) ? 3 : inText.has(word) ? 1 : 0), 0)
}

/** Drops the plural s, so that "orders" finds get_order. */
function stemsOf(text: string): string[] {
  return wordsOf(text).map((word) => (word.length > 3 ? word.replace(/s$/, '') : word))
}

function describeFindTools(set: ToolSet): SdkTools[string] {
  const counts = new Map<string, number>()
  for (const { connectorName } of set.tools) counts.set(connectorName, (counts.get(connectorName) ?? 0) + 1)
  const connectors = [...counts].map(([name, count]) => `${name} (${count})`).join(', ')
  return tool({
    description: `There are ${set.tools.length} tools, too many to show at once: ${connectors}. This finds those that fit a few words; they can be called from the next step on.`,
    inputSchema: jsonSchema({
      type: 'object',
      properties: { query: { type: 'string', description: 'what you want to do, e.g. "cancel an order"' } },
      required: ['query'],
      additionalProperties: false,
    }),
  })
}
