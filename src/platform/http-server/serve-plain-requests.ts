import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { AnswerHeaders, Exchange } from './exchange.ts'
import { readPlainRequest } from './read-plain-request.ts'

export type PlainService = { prefix: string; serve(exchange: Exchange): void }

type Options = PlainService & {
  firstRequestMs: number
  keepAliveMs: number
  /** From then on, each answer ends its connection. */
  isLeaving?: (() => boolean) | undefined
  /** Everything else: it gets the connection for good, with all that was not answered yet. */
  handOver(socket: Socket): void
}

export type PlainConnection = {
  /** Ends the connection, after the answer that is being made. */
  close(): void
}

/**
 * Answers the requests of a connection for as long as they are plain, one at a time, without the objects that `node:http` makes
 * for each: that is a third of what a delivery costs.
 */
export function servePlainRequests(
  socket: Socket,
  { prefix, serve, firstRequestMs, keepAliveMs, isLeaving, handOver }: Options,
): PlainConnection {
  let underWay = false
  let closing = false
  /** More came before the last request was answered. */
  let early = false

  function receive(bytes: Buffer): void {
    if (underWay) {
      early = true
      socket.pause()
      // Back at once: with nothing left to read, the end of the connection would be told before these bytes.
      socket.unshift(bytes)
      return
    }
    // A client that does not read its answers gets no more of them in advance than `node:http` allows.
    const request = socket.writableNeedDrain ? null : readPlainRequest(bytes)
    if (!request?.url.startsWith(prefix)) return void leave(bytes)
    underWay = true
    if (socket.timeout !== keepAliveMs) socket.setTimeout(keepAliveMs)
    const { url, rawHeaders, headers, body } = request
    let answered = false
    serve({
      method: 'POST',
      url,
      rawHeaders,
      remoteAddress: socket.remoteAddress,
      body,
      header: (name) => headers.get(name),
      answer(status, answerHeaders, text = '') {
        if (answered) return
        answered = true
        underWay = false
        if (socket.destroyed) return
        const isLast = (closing || isLeaving?.()) && !early
        socket.write(headOf(status, answerHeaders, isLast ? null : keepAliveMs) + text)
        if (isLast) socket.destroySoon()
        else if (early) leave()
      },
    })
  }

  function leave(bytes?: Buffer): void {
    socket.off('data', receive).off('end', close).off('timeout', endSilence).off('error', ignore)
    socket.pause()
    handOver(socket)
    if (bytes) socket.unshift(bytes)
    socket.resume()
  }

  function close(): void {
    closing = true
    if (!underWay) socket.destroySoon()
  }

  function endSilence(): void {
    if (!underWay) socket.destroy()
  }

  socket.setTimeout(firstRequestMs)
  socket.on('data', receive).on('end', close).on('timeout', endSilence).on('error', ignore)
  return { close }
}

/** It is followed by `close`, and there is nobody to tell. */
function ignore(): void {}

function headOf(status: number, headers: AnswerHeaders, keepAliveMs: number | null): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`
  const connection =
    keepAliveMs === null ? 'close' : `keep-alive\r\nKeep-Alive: timeout=${keepAliveMs / 1000}`
  return `${head}Date: ${currentDate()}\r\nConnection: ${connection}\r\n\r\n`
}

let date = ''
let dateAt = 0

/** Written once a second. */
function currentDate(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second !== dateAt) {
    dateAt = second
    date = new Date(second * 1000).toUTCString()
  }
  return date
}
