import type { IncomingMessage } from 'node:http'
import type { Exchange } from '../../platform/http-server/exchange.ts'
import type { Reservation } from './body-memory.ts'

type BodyRead =
  | { kind: 'whole'; bytes: Buffer }
  | { kind: 'too-large' }
  /** There is no room for it now. */
  | { kind: 'crowded' }
  | { kind: 'cut' }

/** How much a sender may still send after it was refused, before the connection is cut. */
const discardedBytes = 8 * 1024 * 1024

/** Never holds more than the limit: the rest is read and discarded, so that the sender can read the answer. */
export function readBody(
  exchange: Exchange,
  maxBytes: number,
  place: Reservation,
): BodyRead | Promise<BodyRead> {
  const { body } = exchange
  if (announcedBytes(exchange) > maxBytes) {
    discard(body)
    return { kind: 'too-large' }
  }
  if (Buffer.isBuffer(body)) {
    return place.hold(body.length) ? { kind: 'whole', bytes: body } : { kind: 'crowded' }
  }
  // It may have hung up while it waited in line.
  return body.destroyed ? { kind: 'cut' } : receiveBody(body, maxBytes, place)
}

function receiveBody(request: IncomingMessage, maxBytes: number, place: Reservation): Promise<BodyRead> {
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
export function announcedBytes(exchange: Exchange): number {
  return Number(exchange.header('content-length') ?? 0)
}

/** Reads and discards the rest of a body, up to a limit. */
export function discard(request: Exchange['body']): void {
  if (Buffer.isBuffer(request) || request.complete) return
  let left = discardedBytes
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.destroy()
  })
  request.once('error', () => undefined)
}
