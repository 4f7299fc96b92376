import { isUtf8 } from 'node:buffer'
import { scanJson } from '../../../platform/json/scan-json.ts'

export const maxDepth = 128

type JsonVerdict =
  | { ok: true }
  | { ok: false; fault: 'empty' | 'not-utf8' | 'too-deep' }
  | { ok: false; fault: 'malformed'; at: number }

/** Whether the bytes are JSON that everything behind can read. */
export function checkJson(body: Uint8Array): JsonVerdict {
  let isTooDeep = false
  const at = scanJson(body, { open: (_, depth) => (isTooDeep = depth === maxDepth) })
  if (at === body.length && isBlank(body)) return { ok: false, fault: 'empty' }
  if (!isUtf8(body)) return { ok: false, fault: 'not-utf8' }
  if (isTooDeep) return { ok: false, fault: 'too-deep' }
  return at === null ? { ok: true } : { ok: false, fault: 'malformed', at }
}

/** White space, also after a byte order mark, which JavaScript counts as such. */
function isBlank(body: Uint8Array): boolean {
  return Buffer.from(body).toString().trim() === ''
}
