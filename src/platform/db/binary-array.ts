const oids = { text: 25, bytea: 17, uuid: 2950 } as const

/**
 * PostgreSQL's binary format of a one-dimensional array. The driver sends a Buffer as it is, so neither side spends time on
 * quoting, escaping or hex, which is most of a parameter's cost on a hot path. A uuid is given as its 32 hex digits.
 */
export function binaryArray(
  type: keyof typeof oids,
  values: readonly (string | Uint8Array | null)[],
): Buffer {
  const headerBytes = 20
  const encoding = type === 'uuid' ? 'hex' : 'utf8'
  let size = headerBytes
  for (const value of values) size += 4 + maxBytes(value, encoding)
  const array = Buffer.allocUnsafe(size)
  let at = array.writeInt32BE(1, 0)
  at = array.writeInt32BE(1, at) // may hold nulls
  at = array.writeInt32BE(oids[type], at)
  at = array.writeInt32BE(values.length, at)
  at = array.writeInt32BE(1, at) // counts from 1
  for (const value of values) {
    if (value === null) {
      at = array.writeInt32BE(-1, at)
    } else if (typeof value === 'string') {
      const written = array.write(value, at + 4, encoding)
      array.writeInt32BE(written, at)
      at += 4 + written
    } else {
      at = array.writeInt32BE(value.length, at)
      array.set(value, at)
      at += value.length
    }
  }
  return array.subarray(0, at)
}

/** UTF-8 has three bytes at most for each unit of UTF-16. Counting them would mean reading every text twice. */
function maxBytes(value: string | Uint8Array | null, encoding: 'hex' | 'utf8'): number {
  if (value === null) return 0
  if (typeof value !== 'string') return value.length
  return encoding === 'hex' ? value.length / 2 : value.length * 3
}
