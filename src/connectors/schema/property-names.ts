import type { JsonSchema } from '../contract.ts'
import { resolveReference } from './resolve-reference.ts'

/** The properties that a schema names for its root object, including those from `$ref`, `allOf`, `anyOf`, `oneOf` and `if`. */
export function propertyNames(schema: JsonSchema): string[] {
  return [...collectProperties(schema).keys()]
}

/** Property → the schemas that describe it. */
export function collectProperties(root: JsonSchema): Map<string, unknown[]> {
  const found = new Map<string, unknown[]>()
  const seen = new Set<unknown>()
  const visit = (node: unknown) => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return
    seen.add(node)
    const schema = node as JsonSchema // Objects of a parsed JSON document have string keys.
    if (typeof schema.properties === 'object' && schema.properties !== null) {
      for (const [name, property] of Object.entries(schema.properties)) {
        found.set(name, [...(found.get(name) ?? []), property])
      }
    }
    if (typeof schema.$ref === 'string') visit(resolveReference(root, schema.$ref))
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      const branches = schema[keyword]
      if (Array.isArray(branches)) branches.forEach(visit)
    }
    for (const keyword of ['if', 'then', 'else']) visit(schema[keyword])
  }
  visit(root)
  return found
}
