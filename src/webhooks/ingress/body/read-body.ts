import type { IncomingMessage } from 'node:http'
import type { Reservation } from './body-memory.ts'

type BodyRead =
  | { kind: 'whole'; bytes: Buffer }
  | { kind: 'too-large' }
  /** Too many large bodies are in memory at the moment. */
  | { kind: 'no-memory' }
  | { kind: 'cut' }

/** How much a sender may still send after it was refused, before the connection is cut. */
export const discardedBytes = 8 * 1024 * 1024

/** Never holds more than the limit. Whoever refuses the delivery discards the rest. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  reservation: Reservation,
): Promise<BodyRead> {
  if (announcedBytes(request) > maxBytes) return { kind: 'too-large' }
  // It may have hung up while it waited in line.
  if (request.destroyed) return { kind: 'cut' }
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const onData = (chunk: Buffer) => {
      size += chunk.length
      const isTooLarge = size > maxBytes
      if (!isTooLarge && reservation.hold(size)) return void chunks.push(chunk)
      request.off('data', onData)
      chunks.length = 0
      resolve({ kind: isTooLarge ? 'too-large' : 'no-memory' })
    }
    request.on('data', onData)
    request.on('end', () => {
      // Usually there is one chunk, which need not be copied.
      const [only] = chunks
      resolve({ kind: 'whole', bytes: chunks.length === 1 && only ? only : Buffer.concat(chunks, size) })
    })
    request.on('error', () => resolve({ kind: 'cut' }))
    request.on('close', () => resolve({ kind: 'cut' }))
  })
}

/** 0 if the sender does not declare it. */
export function announcedBytes(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? 0)
}

/** Reads and discards the rest of a body, up to a limit, so that the sender can read the answer. */
export function discard(request: IncomingMessage): void {
  if (request.complete) return
  let left = discardedBytes
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.destroy()
  })
  request.once('error', () => undefined)
}
