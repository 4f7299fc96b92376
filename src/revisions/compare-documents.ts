import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../platform/json/is-object.ts'

/** What can be changed of a webhook, schedule, tool, policy or the settings, in the form in which a patch takes it. */
export type Document = Readonly<Record<string, unknown>>

type Change = { field: string; before: unknown; after: unknown }

/** Fields with fields of their own are compared one by one, so that one line of the instructions is not the whole agent. */
export function compareDocuments(before: Document, after: Document, parent = ''): Change[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) => {
    const [was, is] = [before[name], after[name]]
    if (isDeepStrictEqual(was, is)) return []
    if (parent === '' && isObject(was) && isObject(is)) return compareDocuments(was, is, name)
    const field = parent === '' ? name : `${parent}.${name}`
    return [{ field, before: was ?? null, after: is ?? null }]
  })
}

/** From what to what, where a few words tell it. An id or a long text tells nothing to a reader of the audit log. */
export function shortChanges(
  before: Document,
  after: Document,
): { changes?: Record<string, [before: unknown, after: unknown]> } {
  const short = compareDocuments(before, after).filter(
    (change) => isShort(change.before) && isShort(change.after),
  )
  if (short.length === 0) return {}
  return { changes: Object.fromEntries(short.map((change) => [change.field, [change.before, change.after]])) }
}

function isShort(value: unknown): boolean {
  if (typeof value === 'string')
    return value.length <= (URL.canParse(value) ? 300 : 60) && !/^[a-z]+_[0-9a-f-]{36}$/.test(value)
  return value === null || typeof value !== 'object'
}

/**
 * The merge patch (RFC 7396) from one to the other. `merged` are the fields that a patch merges instead of replacing them: what they
 * did not have is cleared. A field that the older document does not know stays as it is.
 */
export function patchTo(now: Document, target: Document, merged: readonly string[] = []): Document {
  const differing = Object.entries(target).filter(([name, value]) => !isDeepStrictEqual(value, now[name]))
  return Object.fromEntries(
    differing.map(([name, value]) => {
      const current = now[name]
      if (!merged.includes(name) || !isObject(value) || !isObject(current)) return [name, value]
      const cleared = Object.keys(current).map((key) => [key, null])
      return [name, { ...Object.fromEntries(cleared), ...value }]
    }),
  )
}
