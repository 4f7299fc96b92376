import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type Listener = (request: IncomingMessage, response: ServerResponse) => void
export type Listening = AsyncDisposable & { readonly port: number }

type Options = {
  host: string
  port: number
  listener: Listener
  graceMs: number
  headersMs?: number
  /** What is still being sent to us when we stop may take this long. */
  uploadGraceMs?: number
}

/** Serves until disposed; then takes no new connection, lets running answers finish, and cuts the rest after the grace. */
export async function listen({
  host,
  port,
  listener,
  graceMs,
  headersMs = 15_000,
  uploadGraceMs = 5_000,
}: Options): Promise<Listening> {
  /** Of each connection the answer to what was asked last. */
  const latest = new Map<Socket, ServerResponse | null>()
  let closing = false
  const server = createServer(
    { headersTimeout: headersMs, requestTimeout: 60_000, keepAliveTimeout: 65_000, maxHeaderSize: 32 * 1024 },
    (request, response) => {
      latest.set(request.socket, response)
      // Who sends one request after the other would keep the connection busy for ever: this answer is the last on it.
      if (closing) response.shouldKeepAlive = false
      listener(request, response)
    },
  )
  // Who has said everything may close its half of the connection and still wait for the answer (RFC 9112 §9.6). Node's types do
  // not know the switch.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('connection', (socket) => {
    latest.set(socket, null)
    socket.once('close', () => latest.delete(socket))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port)))
    server.listen({ host, port, backlog: 1024 }, resolve)
  })
  return {
    // A TCP server that listens has an address with a port.
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      closing = true
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // Browsers open connections ahead of need. Such a one is not idle in the server's eyes, and would hold up a stop.
      for (const [socket, answer] of latest) if (answer === null) socket.destroy()
      // So would half a request of a sender that is slow or gone. It gets no answer and sends it again.
      const hurry = setTimeout(() => {
        for (const [socket, answer] of latest) {
          if (answer?.writableFinished || !answer?.req.complete) socket.destroy()
        }
      }, uploadGraceMs)
      // A kept-alive connection becomes idle when its last answer is out, and nothing else would end it then.
      const sweep = setInterval(() => server.closeIdleConnections(), 50)
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      await closed
      clearInterval(sweep)
      clearTimeout(hurry)
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
  return error
}
