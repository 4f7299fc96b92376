import { McpFailure } from './mcp-failure.ts'

type Fetch = typeof globalThis.fetch

type Settings = {
  /** For requests; their answers are expected soon. */
  calls: Fetch
  /** For streams on which the server speaks when it likes. */
  streams: Fetch
  maxBytes: number
  /** A stream was opened or came to its end; `resumes` where it goes on after an interruption. */
  onStream(stream: { method: string; resumes: boolean; ended: boolean }): void
  /** More came than anybody asked for. */
  onTooLarge(failure: McpFailure): void
}

/** Everything that a server sends back passes here: counted, so that no answer and no stream is endless. */
export function watchAnswers(settings: Settings): { fetch: Fetch; countAnew(): void } {
  let bytes = 0

  function count(chunk: Uint8Array): void {
    bytes += chunk.byteLength
    if (bytes <= settings.maxBytes) return
    const failure = new McpFailure(
      'too_large',
      `The server sent more than ${settings.maxBytes / 1024 / 1024} MiB, which is the limit for an answer.`,
    )
    settings.onTooLarge(failure)
    throw failure
  }

  const watched: Fetch = async (input, init) => {
    const method = init?.method ?? 'GET'
    const resumes = new Headers(init?.headers).has('last-event-id')
    const answer = await (method === 'GET' ? settings.streams : settings.calls)(input, init)
    if (answer.body === null) return answer
    const isStream = answer.ok && answer.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (isStream) settings.onStream({ method, resumes, ended: false })
    const body = passThrough(answer.body, count, () => {
      if (isStream) settings.onStream({ method, resumes, ended: true })
    })
    const { status, statusText, headers } = answer
    return new Response(body, { status, statusText, headers: [...headers] })
  }
  return {
    fetch: watched,
    countAnew: () => {
      bytes = 0
    },
  }
}

function passThrough(
  body: ReadableStream<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) {
          controller.close()
          onEnd()
        } else {
          onChunk(value)
          controller.enqueue(value)
        }
      } catch (error) {
        controller.error(error)
        onEnd()
        await reader.cancel(error).catch(() => undefined)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
}
