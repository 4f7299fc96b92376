import type { Socket } from 'node:net'

export const maxHeaderBytes = 32 * 1024

type Answer = { status: number; title: string; detail: string }

/** A client that still sends could not read its answer if the connection were closed at once (RFC 9112 §9.6). */
const lingerMs = 500

/**
 * What the caller is told about a request that never reaches a route, with the type that RFC 9457 has for it: about:blank. Called
 * again for whatever the client still sends.
 */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable) return
  const answer = answerTo(error.code)
  const body = bodyOf(answer)
  socket.end(
    `HTTP/1.1 ${answer.status} ${answer.title}\r\ncontent-type: ${contentType}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

/** The same for a request whose target or Host makes no URL, which `node:http` does not check. */
export function refuseTarget(): Response {
  const answer = answerTo(undefined)
  return new Response(bodyOf(answer), { status: answer.status, headers: { 'content-type': contentType } })
}

const contentType = 'application/problem+json'

function bodyOf({ status, title, detail }: Answer): string {
  return JSON.stringify({ type: 'about:blank', title, status, detail })
}

function answerTo(code: string | undefined): Answer {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return {
      status: 431,
      title: 'Request Header Fields Too Large',
      detail: `The request headers are larger than the limit of ${maxHeaderBytes / 1024} KiB. Send fewer or shorter headers.`,
    }
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return {
      status: 408,
      title: 'Request Timeout',
      detail: 'The request was not received in time. Send it again without pauses.',
    }
  }
  return {
    status: 400,
    title: 'Bad Request',
    detail: 'The request is not valid HTTP/1.1 (RFC 9112). Check the program that sent it.',
  }
}
