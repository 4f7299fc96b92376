import { type Dispatcher, errors } from 'undici'
import { decompress } from './decompress.ts'
import { EgressError } from './egress-error.ts'

type EgressLimits = {
  /** Until status line and headers have arrived, including the connection. */
  headersTimeoutMs: number
  /** Until the last byte of the answer has arrived. */
  totalTimeoutMs: number
  /** Counted after decompression. */
  maxBytes: number
}

export type EgressRequest = {
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body?: string | Uint8Array
  limits: EgressLimits
  /** Who asks, for the audit entry of a refusal: `connector con_…`. */
  purpose: string
  signal?: AbortSignal
  /** Asked once a connection is there, right before the first byte. */
  maySend?: () => boolean
  /** The status is enough: the connection is closed as soon as the headers have arrived. */
  discardsBody?: boolean
}

export type EgressAnswer = {
  ok: true
  status: number
  headers: Record<string, string | string[] | undefined>
  /** Decompressed, otherwise as received. */
  body: Buffer
}

/** One request, one answer. Redirects are not followed; the limits hold whatever the other side does. */
export async function sendGuarded(
  dispatcher: Dispatcher,
  url: URL,
  request: EgressRequest,
): Promise<EgressAnswer> {
  const { status, headers, wire } = await receive(dispatcher, url, request)
  const encoding = [headers['content-encoding'] ?? []].flat().join(',')
  try {
    return { ok: true, status, headers, body: await decompress(wire, encoding, request.limits.maxBytes) }
  } catch (error) {
    if (error instanceof EgressError) error.mayHaveArrived = true
    throw error
  }
}

type Received = { status: number; headers: EgressAnswer['headers']; wire: Buffer }

function receive(dispatcher: Dispatcher, url: URL, request: EgressRequest): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>()
  const { headersTimeoutMs, totalTimeoutMs, maxBytes } = request.limits
  const chunks: Buffer[] = []
  let size = 0
  let head: Omit<Received, 'wire'> | null = null
  let controller: Dispatcher.DispatchController | null = null
  let settled = false

  const settle = (outcome: () => void) => {
    if (settled) return
    settled = true
    clearTimeout(headersTimer)
    clearTimeout(totalTimer)
    request.signal?.removeEventListener('abort', onAbort)
    outcome()
  }
  const fail = (error: EgressError) => {
    error.mayHaveArrived = controller !== null
    settle(() => reject(error))
    controller?.abort(error)
  }
  const onAbort = () => fail(new EgressError('aborted', 'The call was cancelled.'))
  const headersTimer = setTimeout(
    () => fail(new EgressError('timeout', `No answer came within ${headersTimeoutMs} ms.`)),
    headersTimeoutMs,
  )
  const totalTimer = setTimeout(
    () => fail(new EgressError('timeout', `The answer was not complete after ${totalTimeoutMs} ms.`)),
    totalTimeoutMs,
  )
  if (request.signal?.aborted) onAbort()
  else request.signal?.addEventListener('abort', onAbort, { once: true })

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      // The caller may have given up while we waited for a connection: then nothing is sent.
      if (request.maySend?.() === false) onAbort()
      if (settled) return started.abort(new EgressError('aborted', 'The call had ended before it was sent.'))
      controller = started
    },
    onResponseStart(responding, status, headers) {
      if (status < 200) return
      clearTimeout(headersTimer)
      head = { status, headers }
      if (request.discardsBody) {
        settle(() => resolve({ status, headers, wire: Buffer.alloc(0) }))
        return responding.abort(new EgressError('aborted', 'Only the status was wanted.'))
      }
      const announced = Number(headers['content-length'])
      if (request.method !== 'HEAD' && announced > maxBytes) fail(tooLarge(maxBytes))
    },
    onResponseData(_controller, chunk) {
      size += chunk.length
      if (size > maxBytes) return fail(tooLarge(maxBytes))
      chunks.push(chunk)
    },
    onResponseEnd() {
      if (!head) return fail(new EgressError('bad_answer', 'The answer had no status.'))
      const answer = { ...head, wire: Buffer.concat(chunks, size) }
      settle(() => resolve(answer))
    },
    onResponseError(_controller, error) {
      fail(answerFailure(error, head !== null))
    },
  }
  const names = Object.keys(request.headers).map((name) => name.toLowerCase())
  const accepted = names.includes('accept-encoding') ? {} : { 'accept-encoding': 'gzip, deflate, br, zstd' }
  const headers = { ...accepted, ...request.headers }
  const { method, body = null } = request
  try {
    if (!settled) {
      dispatcher.dispatch(
        { origin: url.origin, path: `${url.pathname}${url.search}`, method, headers, body },
        handler,
      )
    }
  } catch (error) {
    fail(answerFailure(error, false))
  }
  return promise
}

function tooLarge(maxBytes: number): EgressError {
  return new EgressError('too_large', `The answer is larger than ${maxBytes} bytes.`)
}

function answerFailure(error: unknown, answerHadBegun: boolean): EgressError {
  if (error instanceof EgressError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no reason given'
  if (code === 'UND_ERR_INVALID_ARG') {
    return new EgressError('invalid_request', 'The request cannot be sent as HTTP.', { cause: error })
  }
  if (isInvalidHttp(error, code)) {
    return new EgressError('bad_answer', 'The answer is not valid HTTP.', { cause: error })
  }
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    const message = 'The answer is not valid HTTP: what it says about its own length is contradictory.'
    return new EgressError('bad_answer', message, { cause: error })
  }
  const message = answerHadBegun
    ? 'The connection ended before the answer was complete.'
    : `The connection broke before an answer came (${code}).`
  return new EgressError(answerHadBegun ? 'bad_answer' : 'connection_failed', message, { cause: error })
}

function isInvalidHttp(error: unknown, code: string): boolean {
  if (error instanceof errors.HTTPParserError) return true
  // undici's words for an unasked 100 or 101, and its assertion that a status has three digits and is none of 000 to 099.
  if (error instanceof errors.SocketError && /^bad (response|upgrade)$/.test(error.message)) return true
  return code === 'UND_ERR_HEADERS_OVERFLOW' || code === 'ERR_ASSERTION'
}
