import type { Capability, Method, Permission, Tool } from '../../../../contract.ts'
import { bodyField } from '../../../../ui/forms/body-field.ts'
import { changedFields } from '../../../../ui/forms/merge-server-values.ts'
import { parseExactly } from '../../../../ui/text/parse-exactly.ts'

export type Location = Tool['locations'][string]

export type ToolValues = {
  name: string
  description: string
  method: Method
  path: string
  capability: Capability
  /** Empty: it follows from the capability. */
  permission: Permission | ''
  locations: Record<string, Location>
  bodyFormat: 'json' | 'form'
  inputSchema: string
  outputSchema: string
}

export const newTool: ToolValues = {
  name: '',
  description: '',
  method: 'GET',
  path: '/',
  capability: 'read',
  permission: '',
  locations: {},
  bodyFormat: 'json',
  inputSchema: '{\n  "type": "object",\n  "properties": {},\n  "required": []\n}',
  outputSchema: '',
}

/** The usual capability of a method, as a default. */
export function defaultCapability(method: Method): Capability {
  if (method === 'GET' || method === 'HEAD') return 'read'
  return method === 'DELETE' ? 'destructive' : 'write'
}

export function toToolValues(tool: Tool): ToolValues {
  return {
    name: tool.name,
    description: tool.description,
    method: tool.method ?? 'GET',
    path: tool.path ?? '/',
    capability: tool.capability,
    permission: tool.permissionIsSet ? tool.permission : '',
    locations: tool.locations,
    bodyFormat: tool.bodyFormat,
    inputSchema: JSON.stringify(tool.inputSchema, null, 2),
    outputSchema: tool.outputSchema ? JSON.stringify(tool.outputSchema, null, 2) : '',
  }
}

export function toToolBody(values: ToolValues, before: ToolValues | null): Record<string, unknown> {
  const locations: Record<string, unknown> = {}
  // In a merge patch, null clears an entry.
  for (const name of Object.keys(before?.locations ?? {})) locations[name] = null
  Object.assign(locations, values.locations)
  const outputSchema = values.outputSchema.trim()
  const body = {
    name: values.name.trim(),
    description: values.description,
    method: values.method,
    path: values.path.trim(),
    capability: values.capability,
    ...bodyField('permission', values.permission, Boolean(before?.permission)),
    ...(Object.keys(locations).length > 0 ? { locations } : {}),
    bodyFormat: values.bodyFormat,
    inputSchema: parseExactly(values.inputSchema),
    ...bodyField(
      'outputSchema',
      outputSchema === '' ? '' : parseExactly(outputSchema),
      Boolean(before?.outputSchema),
    ),
  }
  if (before === null) return body
  // Somebody else may have changed the rest meanwhile.
  const typed = changedFields(values, before)
  return Object.fromEntries(Object.entries(body).filter(([name]) => name in typed))
}

/** Why the text is not a JSON object, or null if it is one. */
export function objectProblem(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? null
      : 'Enter a JSON object, for example {"type":"object","properties":{}}.'
  } catch (error) {
    return `Invalid JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}

export function propertiesOf(schemaText: string): string[] {
  try {
    const schema = JSON.parse(schemaText) as { properties?: Record<string, unknown> } | null // any JSON; checked below
    return typeof schema?.properties === 'object' && schema.properties !== null
      ? Object.keys(schema.properties)
      : []
  } catch {
    return []
  }
}

export function placeholdersOf(path: string): string[] {
  return [...path.matchAll(/\{([^{}]+)\}/g)].flatMap((match) => (match[1] === undefined ? [] : [match[1]]))
}
