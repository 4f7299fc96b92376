import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type Listener = (request: IncomingMessage, response: ServerResponse) => void
type Listening = AsyncDisposable & { readonly port: number }

type Options = {
  host: string
  port: number
  listener: Listener
  graceMs: number
  /** What is still being sent to us when we stop may take this long. */
  uploadGraceMs?: number
  /** More than these at once are closed unheard. */
  maxConnections?: number
  onFull?(says: string): void
}

/** Of the requests that one connection sends without waiting for answers (RFC 9112 §9.3.2): more than these are an attack. */
const mostUnderWay = 16
const mostInLine = 1_000
/** Longer than any answer here pauses. Whoever reads nothing for so long would keep its answer in our memory for ever. */
const silenceMs = 10 * 60_000
const lingerMs = 500
const tellAgainMs = 60_000

type Line = {
  /** The answer to what was asked last. */
  latest: ServerResponse | null
  underWay: number
  waiting: (() => void)[]
}

/** Serves until disposed; then takes no new connection, lets running answers finish, and cuts the rest after the grace. */
export async function listen({
  host,
  port,
  listener,
  graceMs,
  uploadGraceMs = 5_000,
  maxConnections = Number.POSITIVE_INFINITY,
  onFull,
}: Options): Promise<Listening> {
  const lines = new Map<Socket, Line>()
  let closing = false
  const server = createServer(
    { headersTimeout: 15_000, requestTimeout: 60_000, keepAliveTimeout: 65_000, maxHeaderSize: 32 * 1024 },
    (request, response) => {
      const line = lines.get(request.socket)
      if (!line) return
      line.latest = response
      // A client that sends one request after the other would keep the connection busy for ever: this answer is the last on it.
      if (closing) response.shouldKeepAlive = false
      takeTurn(line, request, response, listener)
    },
  )
  server.timeout = silenceMs
  server.maxConnections = maxConnections
  let toldAt = Number.NEGATIVE_INFINITY
  server.on('drop', () => {
    if (performance.now() - toldAt < tellAgainMs) return
    toldAt = performance.now()
    onFull?.(`${maxConnections} connections are open, which is the limit. Others are closed unheard.`)
  })
  // A client may close its half of the connection after its request and wait for the answer (RFC 9112 §9.6). Node's types do
  // not know the switch.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('connection', (socket) => {
    const line: Line = { latest: null, underWay: 0, waiting: [] }
    lines.set(socket, line)
    socket.once('close', () => lines.delete(socket))
    lingerAtClose(socket, () => line.latest?.req.complete === false)
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
      for (const [socket, { latest }] of lines) if (latest === null) socket.destroy()
      // So would half a request of a sender that is slow or gone. It gets no answer and sends it again.
      const hurry = setTimeout(() => {
        for (const [socket, { latest }] of lines) {
          if (latest?.writableFinished || !latest?.req.complete) socket.destroy()
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

/**
 * To close while something of the request is unread resets the connection, and the sender loses the answer with it. Our half is closed
 * first, and the sender's a moment later (RFC 9112 §9.6). This is what the server calls after an answer with `Connection: close`.
 */
function lingerAtClose(socket: Socket, isSending: () => boolean): void {
  const close = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    if (!isSending()) return close()
    socket.destroySoon = close
    socket.end()
    const timer = setTimeout(() => socket.destroy(), lingerMs)
    socket.once('close', () => clearTimeout(timer))
  }
}

/** A sender of 64 KiB can ask for a thousand things at once; what they are answered would fill the memory. */
function takeTurn(line: Line, request: IncomingMessage, response: ServerResponse, listener: Listener): void {
  const start = () => {
    // Nobody is left to answer to.
    if (request.socket.destroyed) return void line.waiting.splice(0)
    line.underWay++
    response.once('close', () => {
      line.underWay--
      line.waiting.shift()?.()
    })
    listener(request, response)
  }
  if (line.underWay < mostUnderWay) start()
  else if (line.waiting.length < mostInLine) line.waiting.push(start)
  else request.socket.destroy()
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
