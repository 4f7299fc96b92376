import { isObject } from '../../../platform/json/is-object.ts'
import { findSchemaFaults } from '../../schema/find-schema-faults.ts'
import { findHeaderInputs } from '../call/header-inputs.ts'

/**
 * Why an entry of a server's list, given as the JSON of an object, cannot be a tool; null if it can. Name and size are not
 * checked here.
 */
export function compileToolSchema(text: string): string | null {
  const { description, inputSchema, outputSchema } = JSON.parse(text) as Record<string, unknown> // judge-tools.ts wrote it
  // Many servers write null for what a tool does not have.
  if (description != null && typeof description !== 'string') return 'Its description is not text.'
  if (description?.includes('\0')) return 'Its description contains a NUL character.'
  if (!isObject(inputSchema)) return 'It has no inputSchema.'
  if (inputSchema.type !== 'object') return 'Its inputSchema is not of the type "object".'
  if (outputSchema != null && !isObject(outputSchema)) return 'Its outputSchema is not an object.'
  const { fault: headerFault } = findHeaderInputs(inputSchema)
  if (headerFault) return headerFault
  for (const [field, schema] of [
    ['inputSchema', inputSchema] as const,
    ['outputSchema', outputSchema] as const,
  ]) {
    const [fault] = isObject(schema) ? findSchemaFaults(schema) : []
    if (fault)
      return `Its ${field} cannot be used: ${fault.pointer ? `${fault.pointer}: ` : ''}${fault.detail}`
  }
  return null
}

export function compileToolSchemasOf(texts: readonly string[]): (string | null)[] {
  return texts.map(compileToolSchema)
}
