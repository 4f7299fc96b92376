import { isObject } from '../../platform/json/is-object.ts'
import type { Method } from '../contract.ts'

const queryPath = /\/(_search|_msearch|_count|_find|_explain|search|query|queries|query_range|lookup)$/i

/**
 * Whether a POST seems only to ask for something, by its path or by what its publisher adds to the document. A suggestion for an
 * admin to confirm: what is sent to a path called `query` may change things, too. GraphQL is none, since a text decides there.
 */
export function looksLikeQuery(method: Method, path: string, operation?: Record<string, unknown>): boolean {
  if (method !== 'POST') return false
  const says = (name: string) => (isObject(operation) ? operation[name] : undefined)
  if (says('x-readonly') === true || says('x-read-only') === true || says('x-operation-kind') === 'query')
    return true
  return queryPath.test(path)
}
