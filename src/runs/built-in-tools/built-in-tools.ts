import { jsonSchema, type ToolSet as SdkTools, tool } from 'ai'
import { z } from 'zod'
import type { RequestedCall, Step } from '../loop/journal.ts'
import type { ToolSet } from '../loop/tool-calls/tool-set.ts'
import { searchTools } from './search-tools.ts'

/** With more tools than this, the model searches for what it needs instead of reading all schemas at every step. */
const showAllUpTo = 40
/** Up to here their names are listed: about as long as the schemas of the tools that are shown without a search. */
const nameAllBelow = 500
const maxNamesBytes = 12_000

export const readMoreInput = z.object({
  source: z.string(),
  pointer: z.string().default(''),
  from: z.coerce.number().int().default(0),
  contains: z.string().default(''),
})

export const withdrawCallInput = z.object({ call: z.string(), why: z.string().max(500).optional() })

const withdrawCall = tool({
  description:
    'Takes back a call of this thread that still waits for a decision, because it was wrong or is no longer wanted. It is then not sent. (takes effect at once)',
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

export const earlierEventsInput = z.object({ about: z.string().max(500).default('') })

const earlierEvents = tool({
  description:
    'Finds earlier events from the same source, with the replies posted to them, the newest first. Use it when an event goes on with something: an alert that is resolved, the same order or customer again, a failure that may be a repeat. (reads)',
  inputSchema: jsonSchema({
    type: 'object',
    properties: {
      about: {
        type: 'string',
        description:
          'an id or words that the event or its reply contains, e.g. "INV-42" or "HighErrorRate checkout"; empty for the newest',
      },
    },
    additionalProperties: false,
  }),
})

export const findToolsInput = z.object({ query: z.string() })

const readMore = tool({
  description:
    'Reads on, or searches, in an event or in the answer of a tool that was too long to be shown whole. The note under the shown part says what to send. (reads)',
  inputSchema: jsonSchema({
    type: 'object',
    properties: {
      source: {
        type: 'string',
        description: '"event", the id of a tool call (call_…) or of an earlier event (evt_…)',
      },
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

export const calculateInput = z.object({ expression: z.string() })

const calculate = tool({
  description:
    'Exact decimal arithmetic. Use it for every sum, difference, average or percentage that you tell people. (calculates)',
  inputSchema: jsonSchema({
    type: 'object',
    properties: {
      expression: {
        type: 'string',
        description:
          'e.g. "sum(12.50, 7, [3, 4]) * 19%"; + - * / ( ), sum, average, min, max, count; 19% is 0.19; numbers without thousands separators',
      },
    },
    required: ['expression'],
    additionalProperties: false,
  }),
})

export const proposeScheduleInput = z.object({
  name: z.string().min(1).max(200),
  prompt: z.string().min(1).max(20_000),
  cron: z.string().optional(),
  at: z.string().optional(),
  timeZone: z.string().optional(),
})

const proposeSchedule = tool({
  description:
    'Proposes a schedule when somebody wants something done regularly or at a later time. An operator confirms it; you never create one. (asks an operator)',
  inputSchema: jsonSchema({
    type: 'object',
    properties: {
      name: { type: 'string', description: 'a short title' },
      prompt: {
        type: 'string',
        description:
          'what to do each time and how to reply, complete: you will not see this conversation then',
      },
      cron: {
        type: 'string',
        description: 'minute hour day-of-month month day-of-week, e.g. "0 9 * * 1-5" for weekdays at nine',
      },
      at: { type: 'string', description: 'instead of cron, once at a local time: "2026-12-01T09:00"' },
      timeZone: { type: 'string', description: 'IANA name, if it is another than that of the turn' },
    },
    required: ['name', 'prompt'],
    additionalProperties: false,
  }),
})

export const comeBackInput = z.object({
  inMinutes: z.number().int().min(1).max(43_200).optional(),
  at: z.string().optional(),
  why: z.string().max(2000).optional(),
  cancel: z.boolean().optional(),
})

const comeBack = tool({
  description:
    'Lets you continue this thread later by yourself, once, to look again with read tools: when somebody asks you to check something in an hour, or to follow up. A new time replaces the one that waits. For what repeats, propose a schedule. (takes effect at once)',
  inputSchema: jsonSchema({
    type: 'object',
    properties: {
      inMinutes: { type: 'integer', description: 'how many minutes from now, 43200 (30 days) at most' },
      at: { type: 'string', description: 'instead of inMinutes, a local time: "2026-12-01T09:00"' },
      why: { type: 'string', description: 'what to look at then, and what to tell the people' },
      cancel: { type: 'boolean', description: 'true cancels what waits in this thread' },
    },
    additionalProperties: false,
  }),
})

/** For a person who asks in a chat; not in the thread of an event, whose turns all have the same tools. */
const shownInChat: SdkTools = { propose_schedule: proposeSchedule, come_back: comeBack }

const alwaysShown: SdkTools = { read_more: readMore, withdraw_call: withdrawCall, calculate }

/** The tools that Bellhop itself answers. Names of connectors' tools contain two underscores, so they never clash with these. */
export function isBuiltInTool(name: string): boolean {
  return (
    name === 'find_tools' ||
    name === 'earlier_events' ||
    Object.hasOwn(shownInChat, name) ||
    Object.hasOwn(alwaysShown, name)
  )
}

export function mustSearch({ tools }: ToolSet): boolean {
  return tools.length > showAllUpTo
}

type Shown = {
  set: ToolSet
  /** An event began the conversation, so there may be earlier ones. */
  isAboutEvent: boolean
  /** A person asked for it. */
  isChat: boolean
  /** Names of tools that were found in earlier turns. */
  found: readonly string[]
}

/** The tools that the model is shown at this step. */
export function selectTools({ set, isAboutEvent, isChat, found }: Shown, steps: readonly Step[]): SdkTools {
  const own = {
    ...alwaysShown,
    ...(isAboutEvent ? { earlier_events: earlierEvents } : {}),
    ...(isChat && !isAboutEvent ? shownInChat : {}),
  }
  if (!mustSearch(set)) return { ...set.sdk, ...own }
  const loaded = [...new Set([...found, ...listFound(set, steps)])].slice(-showAllUpTo)
  const shown = loaded.flatMap((name) => {
    const offered = set.sdk[name]
    return offered ? [[name, offered] as const] : []
  })
  // In the order in which they were found: what a provider has cached stays the beginning of the list.
  return { ...own, find_tools: describeFindTools(set), ...Object.fromEntries(shown) }
}

/** A tool that was found, or called by its exact name, is shown from then on. */
export function listFound(set: ToolSet, steps: readonly Pick<Step, 'calls'>[]): string[] {
  const names = steps.flatMap(({ calls }) => calls.flatMap((call) => namesAskedFor(set, call)))
  return [...new Set(names)].filter((name) => set.byName.has(name))
}

function namesAskedFor(set: ToolSet, { name, input }: RequestedCall): string[] {
  if (name !== 'find_tools') return [name]
  const asked = findToolsInput.safeParse(input)
  return asked.success ? searchTools(set.tools, asked.data.query).map((found) => found.name) : []
}

function describeFindTools(set: ToolSet): SdkTools[string] {
  const counts = new Map<string, number>()
  for (const { connectorName } of set.tools) counts.set(connectorName, (counts.get(connectorName) ?? 0) + 1)
  const connectors = [...counts].map(([name, count]) => `${name} (${count})`).join(', ')
  return tool({
    description: `There are ${set.tools.length} tools, too many to show at once: ${connectors}. This finds those that fit a few words; they can be called from the next step on.${listNames(set)} (reads)`,
    inputSchema: jsonSchema({
      type: 'object',
      properties: { query: { type: 'string', description: 'what you want to do, e.g. "cancel an order"' } },
      required: ['query'],
      additionalProperties: false,
    }),
  })
}

function listNames({ tools }: ToolSet): string {
  const names = tools.map(({ name }) => name).join(' ')
  return tools.length < nameAllBelow && Buffer.byteLength(names) <= maxNamesBytes
    ? ` Their names: ${names}`
    : ''
}
