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

/** The most requests that one connection may pipeline (RFC 9112 §9.3.2): more are an attack. */
const maxUnderWay = 16
const maxInLine = 1_000
/** Longer than any pause in our answers. A client that reads nothing for so long would keep its answer in our memory forever. */
const silenceMs = 10 * 60_000
const lingerMs = 500
const tellAgainMs = 60_000

type Line = {
  /** The answer to the latest request. */
  latest: ServerResponse | null
  underWay: number
  waiting: (() => void)[]
  /** The rest of what it sends cannot be read. */
  unreadable: boolean
}

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
  const lines = new Map<Socket, Line>()
  let closing = false
  const server = createServer(
    {
      headersTimeout: 15_000,
      requestTimeout: 60_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: maxHeaderBytes,
    },
    (request, response) => {
      const line = lines.get(request.socket)
      if (!line) return
      line.latest = response
      // A client that pipelines requests would keep the connection busy forever, so this answer is the last on it.
      if (closing || isLeaving?.()) response.shouldKeepAlive = false
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
  // A client may close its side of the connection after its request and wait for the answer (RFC 9112 §9.6). Node's types lack
  // this option.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('connection', (socket) => {
    const line: Line = { latest: null, underWay: 0, waiting: [], unreadable: false }
    lines.set(socket, line)
    socket.once('close', () => lines.delete(socket))
    lingerAtClose(socket, () => line.latest?.req.complete === false)
  })
  // The server's types know the socket only as a stream; it is the one of the connection.
  server.on('clientError', (error, socket) =>
    endUnreadable(error, socket as Socket, lines.get(socket as Socket)),
  )
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
      // Browsers open connections in advance. The server does not count these as idle, so they would delay a stop.
      for (const [socket, { latest }] of lines) {
        if (latest === null) socket.destroy()
        // Otherwise the client would send its next request on a connection that we close.
        else if (!latest.headersSent) latest.shouldKeepAlive = false
      }
      // So would half a request from a slow or vanished sender. It gets no answer, so it will retry.
      const cutUploads = setTimeout(() => {
        for (const [socket, { latest }] of lines) {
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

/**
 * Closing while part of the request is unread resets the connection, and the sender loses the answer. Our side is closed first,
 * and the sender's a moment later (RFC 9112 §9.6). The server calls this after an answer with `Connection: close`.
 */
function lingerAtClose(socket: Socket, isSending: () => boolean): void {
  const close = socket.destroySoon.bind(socket)
  socket.destroySoon = () => {
    if (!isSending()) return close()
    socket.destroySoon = close
    socket.end()
    destroyLater(socket)
  }
}

function destroyLater(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

/** Called again for each piece that the client still sends. Requests before the unreadable one get their own answers first. */
function endUnreadable(error: NodeJS.ErrnoException, socket: Socket, line: Line | undefined): void {
  if (!line || line.unreadable) return
  line.unreadable = true
  const { latest, underWay } = line
  const isOwed = latest && !latest.writableFinished && (latest.req.complete || latest.headersSent)
  const end = () => {
    socket.end()
    destroyLater(socket)
  }
  if (isOwed) return void latest.once('finish', end)
  // The rest of a request that has its answer already.
  if (latest?.writableFinished && !latest.req.complete) return void end()
  // Text in the middle of another answer would garble that.
  if (!socket.writable || underWay > 1) return void socket.destroy(error)
  refuseUnreadable(error, socket)
  destroyLater(socket)
}

/** With 64 KiB a client can pipeline a thousand requests, whose answers would fill the memory. */
function takeTurn(line: Line, request: IncomingMessage, response: ServerResponse, listener: Listener): void {
  const start = () => {
    // The client is gone.
    if (request.socket.destroyed) return void line.waiting.splice(0)
    line.underWay++
    response.once('close', () => {
      line.underWay--
      line.waiting.shift()?.()
    })
    listener(request, response)
  }
  if (line.underWay < maxUnderWay) start()
  else if (line.waiting.length < maxInLine) line.waiting.push(start)
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
