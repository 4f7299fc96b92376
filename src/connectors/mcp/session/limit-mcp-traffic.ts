import { setImmediate } from 'node:timers/promises'
import { mostValues } from '../../../platform/json/has-too-many-values.ts'
import { byte } from '../../../platform/json/scan-json.ts'
import { McpFailure } from '../mcp-failure.ts'
import { cutLines } from './cut-lines.ts'

type Fetch = typeof globalThis.fetch

type Settings = {
  /** For requests, whose answers are expected soon. */
  calls: Fetch
  /** For streams, on which the server may be silent for long. */
  streams: Fetch
  maxBytes: number
  /**
   * A stream opened or ended; `resumes` if it continues an interrupted one. `retryMs` is the pause that the server asks for
   * before that.
   */
  onStream(stream: { method: string; resumes: boolean; ended: boolean; retryMs: number }): void
  /** The server sent more than allowed. */
  onTooLarge(failure: McpFailure): void
}

/** Requests of a server (a ping, say) that may be waiting for our answers to be sent. Thousands at once would block the event loop. */
const mostAtOnce = 50

type Watch = {
  fetch: Fetch
  resetCount(): void
  bytes(): number
  /** Ends when the last thing that was sent has been answered, or was lost. */
  lastPost(): Promise<unknown>
}

/** Everything that a server sends passes here and is counted, so that no answer or stream is endless. */
export function limitMcpTraffic(settings: Settings): Watch {
  let bytes = 0
  let count = noValues
  let posts = 0
  let lastPost: Promise<unknown> = Promise.resolve()
  const maxValues = mostValues(settings.maxBytes)

  function admit(chunk: Uint8Array): void {
    bytes += chunk.byteLength
    if (bytes > settings.maxBytes) refuseAnswer(`${settings.maxBytes / 1024 / 1024} MiB`)
    count = countValues(count, chunk)
    // Parsing more would block the event loop for seconds.
    if (count.values > maxValues) refuseAnswer(`${maxValues.toLocaleString('en')} values`)
  }

  function refuseAnswer(limit: string): never {
    refuse(`The server sent more than ${limit}, which is the limit for an answer.`)
  }

  function refuse(message: string): never {
    const failure = new McpFailure('too_large', message)
    settings.onTooLarge(failure)
    throw failure
  }

  /** A session has one request of ours at a time; all others answer the server's. */
  const post: Fetch = async (input, init) => {
    if (posts > mostAtOnce) refuse(`The server asks for more than ${mostAtOnce} things at once.`)
    posts++
    const answered = settings.calls(input, init)
    lastPost = answered.catch(() => undefined)
    try {
      return await answered
    } finally {
      posts--
    }
  }

  const watched: Fetch = async (input, init) => {
    const method = init?.method ?? 'GET'
    const resumes = new Headers(init?.headers).has('last-event-id')
    const answer = await (method === 'GET' ? settings.streams : post)(input, init)
    if (answer.body === null) return answer
    const isStream = answer.ok && answer.headers.get('content-type')?.startsWith('text/event-stream') === true
    let retryMs = 0
    if (isStream) settings.onStream({ method, resumes, ended: false, retryMs })
    const onChunk = (chunk: Uint8Array) => {
      admit(chunk)
      if (isStream) retryMs = retryIn(chunk) ?? retryMs
    }
    const body = passThrough(answer.body, onChunk, () => {
      if (isStream) settings.onStream({ method, resumes, ended: true, retryMs })
    })
    const { status, statusText, headers } = answer
    return new Response(body, { status, statusText, headers: [...headers] })
  }
  return {
    fetch: watched,
    /** What came since the count was reset. */
    bytes: () => bytes,
    lastPost: () => lastPost,
    resetCount: () => {
      bytes = 0
      count = noValues
    },
  }
}

/** The state between two chunks. */
type ValueCount = { values: number; inText: boolean; isEscaped: boolean }

const noValues: ValueCount = { values: 0, inText: false, isEscaped: false }

/**
 * About how many JSON values a stream has brought: chunks of events are no document that could be scanned. A line break ends every
 * text, since JSON must escape it: what else a stream says, such as a comment with one quote, does not confuse the count for long.
 */
function countValues({ values, inText, isEscaped }: ValueCount, chunk: Uint8Array): ValueCount {
  for (const current of chunk) {
    if (isEscaped) isEscaped = false
    else if (inText) {
      if (current === byte.backslash) isEscaped = true
      else if (current === byte.quote || current === byte.newline) inText = false
    } else if (current === byte.quote) inText = true
    else if (current === byte.comma || current === byte.openArray || current === byte.openObject) values++
  }
  return { values, inText, isEscaped }
}

/** A server announces a disconnect in an event of a few bytes, so longer chunks are not searched. */
const shortChunk = 1024

/** The `retry` field of server-sent events. */
function retryIn(chunk: Uint8Array): number | null {
  if (chunk.byteLength > shortChunk) return null
  const retryMs = /^retry:\s*(\d{1,5})\r?$/m.exec(Buffer.from(chunk).toString('latin1'))?.[1]
  return retryMs === undefined ? null : Number(retryMs)
}

/** Between two pieces of a chunk, others get their turn: one chunk can hold thousands of messages. */
function passThrough(
  body: ReadableStream<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let pieces: Uint8Array[] = []
  let isCancelled = false
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = pieces.shift()
        if (next) {
          await setImmediate()
          if (!isCancelled) controller.enqueue(next)
          return
        }
        const { done, value } = await reader.read()
        if (done) {
          controller.close()
          onEnd()
        } else {
          onChunk(value)
          const [first = value, ...rest] = cutLines(value)
          pieces = rest
          controller.enqueue(first)
        }
      } catch (error) {
        controller.error(error)
        onEnd()
        await reader.cancel(error).catch(() => undefined)
      }
    },
    async cancel(reason) {
      isCancelled = true
      await reader.cancel(reason)
    },
  })
}
