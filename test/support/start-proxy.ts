import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Proxy = AsyncDisposable & {
  url: string
  /** The prefix that is stripped from the path. */
  takesAway: string
}

/** A reverse proxy like nginx: it forwards requests, with or without the prefix of the path. */
export async function startProxy(target: string): Promise<Proxy> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const rest = path.startsWith(`${proxy.takesAway}/`) ? path.slice(proxy.takesAway.length) : path
    const { method, headers } = request
    // Each on its own connection: hanging up on one must not break another.
    const passed = ask(target + rest, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    // If either side hangs up, so does the other.
    passed.on('error', () => response.destroy())
    response.on('close', () => passed.destroy())
    request.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo
  const proxy: Proxy = {
    url: `http://127.0.0.1:${port}`,
    takesAway: '',
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}
