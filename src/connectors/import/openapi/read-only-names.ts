import { isObject } from '../../../platform/json/is-object.ts'
import { resolveReference } from '../../schema/resolve-reference.ts'
import { asArray, type Json } from '../json-parts.ts'

/** The properties, of the schema itself and of what `allOf` adds to it, that OpenAPI's `readOnly` reserves for answers. */
export function readOnlyNames(document: Json, schema: unknown): Set<string> {
  const names = new Set<string>()
  const seen = new Set<unknown>()
  const visit = (node: unknown) => {
    if (!isObject(node) || seen.has(node)) return
    seen.add(node)
    for (const [name, property] of Object.entries(isObject(node.properties) ? node.properties : {})) {
      if (isReadOnly(document, property)) names.add(name)
    }
    if (typeof node.$ref === 'string') visit(resolveReference(document, node.$ref))
    for (const part of asArray(node.allOf)) visit(part)
  }
  visit(schema)
  return names
}

/** Follows references up to a limit. */
function isReadOnly(document: Json, property: unknown): boolean {
  let at = property
  for (let step = 0; step < 20 && isObject(at); step++) {
    if (at.readOnly === true) return true
    if (typeof at.$ref !== 'string') return false
    at = resolveReference(document, at.$ref)
  }
  return false
}
