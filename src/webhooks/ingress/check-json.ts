import { isUtf8 } from 'node:buffer'
import { byte, endOfScalar, endOfString, skipSpace, startOfText } from '../../platform/json/json-bytes.ts'

export const maxDepth = 128

type JsonVerdict =
  | { ok: true }
  | { ok: false; fault: 'empty' | 'not-utf8' | 'too-deep' }
  | { ok: false; fault: 'malformed'; at: number }

/** What may come next. */
type Expecting = 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'comma-or-end'

/**
 * RFC 8259, checked in one pass over the bytes, without allocation or recursion: `JSON.parse` takes over 100 ms for 1 MiB of
 * small distinct objects, and a stranger must not be able to fill the stack or the heap.
 */
export function checkJson(body: Uint8Array): JsonVerdict {
  let at = skipSpace(body, startOfText(body))
  if (at === body.length) return { ok: false, fault: 'empty' }
  if (!isUtf8(body)) return { ok: false, fault: 'not-utf8' }

  let depth = 0
  // What ends the innermost object or array.
  let closer = 0
  let expecting: Expecting = 'value'

  while (at < body.length) {
    const current = body[at]
    if (expecting === 'comma-or-end') {
      if (depth === 0) return malformed(at)
      if (current === byte.comma) {
        expecting = closer === byte.closeObject ? 'key' : 'value'
      } else if (current === closer) {
        closer = outerClosers[--depth] as number // written when it was opened
      } else return malformed(at)
      at++
    } else if (expecting === 'key' || expecting === 'key-or-end') {
      if (current === byte.quote) {
        const end = endOfString(body, at)
        if (end < 0) return malformed(at)
        at = skipSpace(body, end)
        if (body[at] !== byte.colon) return malformed(at)
        expecting = 'value'
      } else if (current === byte.closeObject && expecting === 'key-or-end') {
        closer = outerClosers[--depth] as number // as above
        expecting = 'comma-or-end'
      } else return malformed(at)
      at++
    } else if (current === byte.openObject || current === byte.openArray) {
      if (depth === maxDepth) return { ok: false, fault: 'too-deep' }
      outerClosers[depth++] = closer
      closer = current === byte.openObject ? byte.closeObject : byte.closeArray
      expecting = current === byte.openObject ? 'key-or-end' : 'value-or-end'
      at++
    } else if (current === byte.closeArray && expecting === 'value-or-end') {
      closer = outerClosers[--depth] as number // as above
      expecting = 'comma-or-end'
      at++
    } else {
      const end = endOfScalar(body, at)
      if (end < 0) return malformed(at)
      at = end
      expecting = 'comma-or-end'
    }
    at = skipSpace(body, at)
  }
  return depth === 0 && expecting === 'comma-or-end' ? { ok: true } : malformed(at)
}

/** The closers of the objects and arrays around the innermost one. Shared by all checks: they do not overlap. */
const outerClosers = new Uint8Array(maxDepth)

function malformed(at: number): JsonVerdict {
  return { ok: false, fault: 'malformed', at }
}
