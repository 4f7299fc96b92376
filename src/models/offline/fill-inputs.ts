import type { Field } from '../../platform/json/list-fields.ts'
import { type FindField, indexFields, wordsOf } from './index-fields.ts'

type OfferedTool = { name: string; inputSchema: unknown }
type FilledCall = { toolName: string; input: string }

const maxCalls = 5

/** Calls whose required inputs can be taken from the event by name. Optional inputs are filled if present. */
export function fillInputs(
  tools: readonly OfferedTool[],
  fields: readonly Field[],
  prompt: string,
): FilledCall[] {
  const promptWords = new Set(wordsOf(prompt))
  const findField = indexFields(fields)
  return tools.flatMap((tool) => fillTool(tool, findField, promptWords)).slice(0, maxCalls)
}

function fillTool(
  { name, inputSchema }: OfferedTool,
  findField: FindField,
  promptWords: Set<string>,
): FilledCall[] {
  const { properties = {}, required = [] } = (inputSchema ?? {}) as {
    properties?: Record<string, { type?: unknown; enum?: unknown[] } | undefined>
    required?: string[]
  } // a saved schema is a JSON Schema of an object
  // A tool without required inputs fits every event, so it is called only if the prompt mentions it.
  const words = wordsOf(name.split('__').at(-1) ?? name)
  if (required.length === 0 && !words.every((word) => promptWords.has(word))) return []
  const members: string[] = []
  for (const [property, schema] of Object.entries(properties)) {
    const field = findField(property)
    const value = field && toJson(field.value, schema)
    if (value !== undefined) members.push(`${JSON.stringify(property)}:${value}`)
    else if (required.includes(property)) return []
  }
  return [{ toolName: name, input: `{${members.join(',')}}` }]
}

function toJson(value: string, schema: { type?: unknown; enum?: unknown[] } | undefined): string | undefined {
  if (schema?.enum && !schema.enum.map(String).includes(value)) return undefined
  const types = [schema?.type ?? 'string'].flat()
  const isNumber = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value)
  if (types.includes('string')) return JSON.stringify(value)
  if (types.includes('number') || types.includes('integer')) return isNumber ? value : undefined
  if (types.includes('boolean')) return value === 'true' || value === 'false' ? value : undefined
  return undefined
}
