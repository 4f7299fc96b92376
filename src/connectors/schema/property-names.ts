import { isObject } from '../../platform/json/is-object.ts'
import type { JsonSchema } from '../contract.ts'
import { boundedPattern, PatternTooSlow } from './bounded-pattern.ts'
import { resolveReference } from './resolve-reference.ts'

/** Property of the root object → the schemas that describe it, including those from `$ref`, `allOf`, `anyOf`, `oneOf` and `if`. */
export function collectProperties(root: JsonSchema): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>()
  for (const { properties } of rootSchemas(root)) {
    if (!isObject(properties)) continue
    for (const [name, property] of Object.entries(properties)) {
      found.set(name, [...(found.get(name) ?? []), property])
    }
  }
  return found
}

/** They are asked for at every call, and a stored schema never changes. */
const namesOf = new WeakMap<JsonSchema, ReadonlySet<string>>()

/** Every name that the schema mentions for its root object: one that is required but not described is an input, too. */
export function inputNames(root: JsonSchema): ReadonlySet<string> {
  const known = namesOf.get(root)
  if (known) return known
  const required = rootSchemas(root).flatMap((schema) =>
    Array.isArray(schema.required) ? schema.required : [],
  )
  const names = new Set([...collectProperties(root).keys(), ...required.map(String)])
  namesOf.set(root, names)
  return names
}

/** Whether the schema says in so many words that its root object takes properties of this name, or of any. */
export function takesUnnamed(root: JsonSchema, name: string): boolean {
  return rootSchemas(root).some(
    ({ additionalProperties, unevaluatedProperties, patternProperties }) =>
      isOpen(additionalProperties) ||
      isOpen(unevaluatedProperties) ||
      (isObject(patternProperties) &&
        Object.keys(patternProperties).some((pattern) => matches(pattern, name))),
  )
}

/** False if that cannot be found out in time. */
function matches(pattern: string, name: string): boolean {
  try {
    return boundedPattern(pattern, 'u').test(name)
  } catch (error) {
    if (error instanceof PatternTooSlow) return false
    throw error
  }
}

function isOpen(rest: unknown): boolean {
  return rest === true || isObject(rest)
}

/** The schema and all of its parts that describe the same object. */
function rootSchemas(root: JsonSchema): JsonSchema[] {
  const found = new Set<JsonSchema>()
  const visit = (schema: unknown) => {
    if (!isObject(schema) || found.has(schema)) return
    found.add(schema)
    if (typeof schema.$ref === 'string') visit(resolveReference(root, schema.$ref))
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      const branches = schema[keyword]
      if (Array.isArray(branches)) branches.forEach(visit)
    }
    for (const keyword of ['if', 'then', 'else']) visit(schema[keyword])
    if (isObject(schema.dependentSchemas)) Object.values(schema.dependentSchemas).forEach(visit)
  }
  visit(root)
  return [...found]
}
