import { type Field, listFields } from '../../platform/json/list-fields.ts'
import { wordsOf } from '../../shared/wording/words-of.ts'

type OfferedTool = { name: string; inputSchema: unknown }
type FilledCall = { toolName: string; input: string }
type InputSchema = { type?: unknown; enum?: unknown[] }

const maxCalls = 5

/** Calls of the tools whose required inputs, of which there is at least one, are in the event by name. */
export function fillInputs(tools: readonly OfferedTool[], event: string): FilledCall[] {
  const fields = listFields(event)
  // By its own key first, then by its key and those above it.
  const named = [1, 2, 3].flatMap((length) =>
    fields.map((field) => [namesOf(field.path.slice(-length)), field.value] as const),
  )
  const values = new Map(named.toReversed())
  return tools.flatMap((tool) => fillTool(tool, values)).slice(0, maxCalls)
}

function namesOf(path: Field['path']): string {
  return wordsOf(path.join(' ')).join(' ')
}

function fillTool({ name, inputSchema }: OfferedTool, values: ReadonlyMap<string, string>): FilledCall[] {
  const { properties = {}, required = [] } = (inputSchema ?? {}) as {
    properties?: Record<string, InputSchema>
    required?: string[]
  } // a saved schema is a JSON Schema of an object
  if (required.length === 0) return []
  const members: string[] = []
  for (const [property, schema] of Object.entries(properties)) {
    const value = values.get(namesOf([property]))
    const json = value === undefined ? null : toJson(value, schema)
    if (json !== null) members.push(`${JSON.stringify(property)}:${json}`)
    else if (required.includes(property)) return []
  }
  return [{ toolName: name, input: `{${members.join(',')}}` }]
}

function toJson(value: string, schema: InputSchema): string | null {
  if (schema.enum && !schema.enum.map(String).includes(value)) return null
  const types = [schema.type ?? 'string'].flat()
  if (types.includes('string')) return JSON.stringify(value)
  const isNumber = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value)
  if (isNumber && (types.includes('number') || types.includes('integer'))) return value
  return types.includes('boolean') && (value === 'true' || value === 'false') ? value : null
}
