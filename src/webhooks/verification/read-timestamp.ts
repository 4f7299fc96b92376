import { readHeader } from './read-header.ts'
import type { Delivery, Scheme, TimestampUnit } from './scheme.ts'

/** Why verification failed. For the operator; the sender is not told. */
export type Reason =
  | { code: 'header-missing'; header: string }
  /** It is not the signature, but belongs to what is signed. */
  | { code: 'signed-header-missing'; header: string }
  | { code: 'header-duplicated'; header: string }
  | { code: 'signature-malformed'; header: string }
  | { code: 'timestamp-missing' }
  | { code: 'timestamp-malformed' }
  | { code: 'timestamp-outside-tolerance'; offSeconds: number; toleranceSeconds: number }
  | { code: 'secret-unusable' }
  | { code: 'body-hash-mismatch'; parameter: string }
  | { code: 'signature-mismatch' }

type TimeRead = { kind: 'read'; text: string; timeMs: number | null } | { kind: 'refused'; reason: Reason }

/** The time that the sender signed, as its text (which was signed) and in milliseconds. */
export function readTimestamp(scheme: Scheme, delivery: Delivery, signatureHeader: string): TimeRead {
  const refuse = (reason: Reason): TimeRead => ({ kind: 'refused', reason })
  const source = scheme.timestamp
  if (!source || source.from === 'body') return { kind: 'read', text: '', timeMs: null }
  let text: string
  if (source.from === 'header') {
    const read = readHeader(delivery.rawHeaders, source.header)
    if (read.kind === 'none') return refuse({ code: 'signed-header-missing', header: source.header })
    if (read.kind === 'many') return refuse({ code: 'header-duplicated', header: source.header })
    text = read.value
  } else {
    const start = source.key + (scheme.list?.between ?? '=')
    const entries = signatureHeader
      .split(scheme.list?.separator ?? ',')
      .map((entry) => entry.trim())
      .filter((entry) => entry.startsWith(start))
    if (entries.length !== 1) {
      return refuse({ code: entries.length === 0 ? 'timestamp-missing' : 'timestamp-malformed' })
    }
    text = (entries[0] ?? '').slice(start.length)
  }
  const timeMs = parseTimestamp(text, source.unit)
  return timeMs === null ? refuse({ code: 'timestamp-malformed' }) : { kind: 'read', text, timeMs }
}

const iso = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/

export function parseTimestamp(text: string, unit: TimestampUnit): number | null {
  if (unit === 'iso') return iso.test(text) && !Number.isNaN(Date.parse(text)) ? Date.parse(text) : null
  if (!/^\d{1,13}$/.test(text)) return null
  return unit === 's' ? Number(text) * 1000 : Number(text)
}
