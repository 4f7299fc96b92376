import type { IncomingMessage } from 'node:http'
import type { Place } from './room.ts'

type BodyRead =
  | { kind: 'whole'; bytes: Buffer }
  | { kind: 'too-large' }
  /** There is no room for it now. */
  | { kind: 'crowded' }
  | { kind: 'cut' }

/** What a sender may still push after it was refused, before the connection is cut. */
const discardedBytes = 8 * 1024 * 1024

/** Never holds more than the limit: what comes after is let through and thrown away, so that the answer can be read. */
export function readBody(request: IncomingMessage, maxBytes: number, place: Place): Promise<BodyRead> {
  if (announcedBytes(request) > maxBytes) {
    discard(request)
    return Promise.resolve({ kind: 'too-large' })
  }
  // It may have hung up while it was in line.
  if (request.destroyed) return Promise.resolve({ kind: 'cut' })
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const onData = (chunk: Buffer) => {
      size += chunk.length
      const isTooLarge = size > maxBytes
      if (!isTooLarge && place.hold(size)) return void chunks.push(chunk)
      request.off('data', onData)
      chunks.length = 0
      discard(request)
      resolve({ kind: isTooLarge ? 'too-large' : 'crowded' })
    }
    request.on('data', onData)
    request.once('end', () => {
      // One chunk is the rule: no copy then.
      const [only] = chunks
      resolve({ kind: 'whole', bytes: chunks.length === 1 && only ? only : Buffer.concat(chunks, size) })
    })
    request.once('error', () => resolve({ kind: 'cut' }))
    request.once('close', () => resolve({ kind: 'cut' }))
  })
}

/** 0 where the sender does not say. */
export function announcedBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0)
}

/** Lets the rest of a body run into nothing, up to a point. */
export function discard(request: IncomingMessage): void {
  let left = discardedBytes
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.destroy()
  })
  request.once('error', () => undefined)
}
