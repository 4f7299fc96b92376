import type { Preset } from './verification/presets.ts'
import { readHeader } from './verification/read-header.ts'
import { readPointer } from './verification/read-pointer.ts'

/** What a sender asks once, before it sends events. It is answered and starts no run; null means: this is an event. */
export function answerHandshake(
  handshake: Preset['handshake'],
  rawHeaders: readonly string[],
  body: Uint8Array,
): Record<string, unknown> | null {
  switch (handshake) {
    case undefined:
      return null
    case 'github': {
      const event = readHeader(rawHeaders, 'X-GitHub-Event')
      return event.kind === 'one' && event.value === 'ping' ? { status: 'pong' } : null
    }
    case 'slack': {
      // Small by nature: a long body is an event, and is not parsed here.
      if (body.length > 4096 || readPointer(body, '/type') !== 'url_verification') return null
      return { challenge: readPointer(body, '/challenge') ?? '' }
    }
    case 'discord':
      return body.length <= 4096 && readPointer(body, '/type') === '1' ? { type: 1 } : null
    default:
      throw new Error(`Unhandled handshake ${handshake satisfies never}`)
  }
}
