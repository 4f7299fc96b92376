import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below what systems give to whoever asks for any port, so that nobody is given it meanwhile. */
const lowest = 20_000
const perProcess = 12

let taken = 0

/**
 * A port that nobody listens on, for what has to know its own before it starts. Each process of the tests looks among a few of its
 * own, so that no two of them find the same.
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
