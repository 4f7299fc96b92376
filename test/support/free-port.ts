import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the range of ephemeral ports, so that nobody is given it meanwhile. */
const lowest = 20_000
const perProcess = 12

let taken = 0

/**
 * A port that nobody listens on, for programs that must know their port before they start. Each test process searches its own
 * few, so that no two find the same.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + (process.pid % 1000) * perProcess + (taken++ % perProcess)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
