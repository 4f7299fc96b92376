import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export type SeenRequest = {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
  /** The TLS server name the client asked for. */
  servername?: string
}

type Options = {
  host?: string
  port?: number
  tls?: ServerOptions
  /** For upgrade requests. */
  upgrade?: (request: IncomingMessage, socket: Duplex) => void
}

/** Somebody else's API, on loopback. It records its requests; `answer` writes the answers. */
export async function startTarget(
  answer: (request: SeenRequest, response: ServerResponse) => void = (_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"ok":true}')
  },
  { host = '127.0.0.1', port = 0, tls, upgrade }: Options = {},
) {
  const seen: SeenRequest[] = []
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const entry: SeenRequest = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    }
    if ('servername' in request.socket) entry.servername = String(request.socket.servername)
    seen.push(entry)
    answer(entry, response)
  }
  const server = tls ? createTlsServer(tls, listener) : createServer(listener)
  const upgraded = new Set<Duplex>()
  if (upgrade) {
    server.on('upgrade', (request, socket) => {
      upgraded.add(socket)
      socket.on('error', () => undefined).on('close', () => upgraded.delete(socket))
      upgrade(request, socket)
    })
  }
  let connections = 0
  server.on('connection', () => connections++)
  server.listen(port, host)
  await once(server, 'listening')
  // A listening TCP server has an AddressInfo; strings are for pipes.
  const address = server.address() as AddressInfo
  return {
    port: address.port,
    origin: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    pair: `${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    seen,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      for (const socket of upgraded) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A server below HTTP, for answers that no HTTP library would send. */
export async function startRawTarget(onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    onConnection(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // As above.
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    pair: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
