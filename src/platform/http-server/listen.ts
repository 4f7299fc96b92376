import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { maxHeaderBytes, refuseUnreadable } from './refuse-unreadable.ts'

export type Listener = (request: IncomingMessage, response: ServerResponse) => void
type Listening = AsyncDisposable & { readonly port: number }

type Options = {
  host: string
  port: number
  listener: Listener
  graceMs: number
  /** How long uploads may continue when we stop. */
  uploadGraceMs?: number
  /** From then on, each answer ends its connection: a proxy must not reuse one that we are about to close. */
  isLeaving?: () => boolean
  /** Further connections are closed at once. */
  maxConnections?: number
  onFull?(says: string): void
}

/** Also bounds how many requests one connection can have in progress, since a client may send them before their answers. */
const maxRequestsPerConnection = 1_000
/** Longer than any pause in our answers. A client that reads nothing for so long would keep its answer in our memory forever. */
const silenceMs = 10 * 60_000
const tellAgainMs = 60_000

/** Serves until disposed; then accepts no new connection, lets running answers finish, and cuts off the rest after the grace period. */
export async function listen({
  host,
  port,
  listener,
  graceMs,
  uploadGraceMs = 5_000,
  isLeaving,
  maxConnections = Number.POSITIVE_INFINITY,
  onFull,
}: Options): Promise<Listening> {
  /** The answer to the latest request of each connection; null before its first request. */
  const connections = new Map<Socket, ServerResponse | null>()
  let closing = false
  const server = createServer(
    {
      headersTimeout: 15_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: maxHeaderBytes,
    },
    (request, response) => {
      connections.set(request.socket, response)
      if (closing || isLeaving?.()) response.setHeader('connection', 'close')
      listener(request, response)
    },
  )
  server.timeout = silenceMs
  server.maxConnections = maxConnections
  server.maxRequestsPerSocket = maxRequestsPerConnection
  let toldAt = Number.NEGATIVE_INFINITY
  server.on('drop', () => {
    if (performance.now() - toldAt < tellAgainMs) return
    toldAt = performance.now()
    onFull?.(`The limit of ${maxConnections} open connections is reached. Further connections are closed.`)
  })
  server.on('connection', (socket) => {
    connections.set(socket, null)
    socket.once('close', () => connections.delete(socket))
  })
  server.on('clientError', (error, stream) => {
    // The server's types know the socket only as a stream; it is the one of the connection.
    const socket = stream as Socket
    const latest = connections.get(socket)
    const isAnswered = latest?.writableFinished && latest.req.complete
    if (!latest || isAnswered) refuseUnreadable(error, socket)
    else if (latest.headersSent) socket.destroy()
    // What came before the unreadable part gets its answer first.
    else if (latest.req.complete) latest.setHeader('connection', 'close')
    else refuseUnreadable(error, socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port)))
    server.listen({ host, port, backlog: 1024 }, resolve)
  })
  return {
    // A listening TCP server has an address with a port.
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      closing = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const [socket, latest] of connections) {
        // Browsers open connections in advance. The server does not count these as idle, so they would delay a stop.
        if (latest === null) socket.destroy()
        // Otherwise the client would send its next request on a connection that we close.
        else if (!latest.headersSent) latest.setHeader('connection', 'close')
      }
      // So would half a request from a slow or vanished sender. It gets no answer, so it will retry.
      const cutUploads = setTimeout(() => {
        for (const [socket, latest] of connections) {
          if (latest?.writableFinished || !latest?.req.complete) socket.destroy()
        }
      }, uploadGraceMs)
      // A kept-alive connection becomes idle after its last answer, and nothing else would close it then.
      const sweep = setInterval(() => server.closeIdleConnections(), 50)
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearInterval(sweep)
      clearTimeout(cutUploads)
      clearTimeout(cut)
    },
  }
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new Error(
      `Port ${port} on ${host} is in use. Stop the other program or set PORT to a free port.`,
      { cause: error },
    )
  }
  if (error.code === 'EACCES') {
    return new Error(`Port ${port} needs more rights. Set PORT to 1024 or higher.`, { cause: error })
  }
  if (notHere.has(error.code)) {
    return new Error(
      `HOST is ${host}, which is no address of this machine. Set it to 127.0.0.1 for this machine only, or to 0.0.0.0 for all.`,
      { cause: error },
    )
  }
  return error
}

const notHere = new Set<unknown>(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EAFNOSUPPORT'])
