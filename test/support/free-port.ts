import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** A port that nobody listens on, for what has to know its own before it starts. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
