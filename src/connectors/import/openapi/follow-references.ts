import { isObject } from '../../../platform/json/is-object.ts'
import { resolveReference } from '../../schema/resolve-reference.ts'
import type { Json } from '../json-parts.ts'

const longestChain = 20

/** The object at the end of a chain of references in the document; null if there is none. */
export function followReferences(document: Json, node: unknown): Json | null {
  let at = node
  for (let step = 0; step < longestChain; step++) {
    if (!isObject(at)) return null
    if (typeof at.$ref !== 'string') return at
    at = resolveReference(document, at.$ref)
  }
  return null
}
