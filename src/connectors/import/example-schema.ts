import { isObject } from '../../platform/json/is-object.ts'
import type { JsonSchema } from '../contract.ts'
import { isCredentialName } from './is-credential-name.ts'

/** The schema of an example value, with the value itself as a hint unless it, or what contains it, may be a secret. */
export function exampleSchema(value: unknown, name: string, isWithinSecret = false): JsonSchema {
  const isSecret = isWithinSecret || isCredentialName(name)
  if (Array.isArray(value)) {
    return { type: 'array', items: value.length > 0 ? exampleSchema(value[0], name, isSecret) : {} }
  }
  if (isObject(value)) {
    const inner = Object.entries(value).map(([key, one]) => [key, exampleSchema(one, key, isSecret)])
    return { type: 'object', properties: Object.fromEntries(inner) }
  }
  if (value === null) return {}
  const type = typeof value === 'number' ? (Number.isInteger(value) ? 'integer' : 'number') : typeof value
  return isSecret ? { type } : { type, examples: [value] }
}
