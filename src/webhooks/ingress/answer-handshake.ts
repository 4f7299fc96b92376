import type { Preset } from '../verification/presets.ts'
import { readHeader } from '../verification/read-header.ts'
import { readPointer } from '../verification/read-pointer.ts'

/** `null` means an answer without a body. */
export type HandshakeAnswer = { body: Record<string, unknown> | null }

/** Answers what a sender asks once before it sends events. This starts no run; null means that it is an event. */
export function answerHandshake(
  handshake: Preset['handshake'],
  rawHeaders: readonly string[],
  body: Uint8Array,
): HandshakeAnswer | null {
  switch (handshake) {
    case undefined:
    // It asks with another method, which the ingress answers itself.
    case 'head':
      return null
    case 'github': {
      const event = readHeader(rawHeaders, 'X-GitHub-Event')
      return event.kind === 'one' && event.value === 'ping' ? { body: { status: 'pong' } } : null
    }
    case 'slack': {
      // Always small: a longer body is an event and is not parsed here.
      if (body.length > 4096 || readPointer(body, '/type') !== 'url_verification') return null
      return { body: { challenge: readPointer(body, '/challenge') ?? '' } }
    }
    case 'discord': {
      // The two kinds of URL that Discord calls number their types differently: 1 is a ping for one and an event for the other.
      const type = body.length > 4096 ? undefined : readPointer(body, '/type')
      if (type === '0') return { body: null }
      return type === '1' && readPointer(body, '/event/type') === undefined ? { body: { type: 1 } } : null
    }
    default:
      throw new Error(`Unhandled handshake ${handshake satisfies never}`)
  }
}
