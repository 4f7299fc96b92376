import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Proxy = AsyncDisposable & {
  url: string
  /** The part of the path that is taken away before a request is passed on. */
  takesAway: string
}

/** A reverse proxy as nginx is one: it passes on what comes, with the path whole or without its beginning. */
export async function startProxy(target: string): Promise<Proxy> {
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const rest = path.startsWith(`${proxy.takesAway}/`) ? path.slice(proxy.takesAway.length) : path
    const { method, headers } = request
    // Each on a connection of its own: hanging up on one must not break another.
    const passed = ask(target + rest, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    // Whoever of the two hangs up, the other is told.
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
