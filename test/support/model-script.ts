import type { ServerResponse } from 'node:http'
import type { SeenRequest } from './start-target.ts'

/** One answer of a scripted model. */
export type Turn =
  | { text: string; stop?: 'length' | 'refusal' }
  /** `input` as text is sent unchanged, even if it is not JSON. */
  | { calls: { name: string; input: unknown }[]; text?: string; stop?: 'length' }
  | { status: number; message?: string; code?: string; headers?: Record<string, string>; retryDelay?: string }
  /** A whole answer, byte for byte, with 200 unless it says otherwise. */
  | { status?: never; body: string; as?: number }
  /** Whatever the test writes, whenever it does. */
  | { write: (response: ServerResponse) => void | Promise<void> }
  /** Never answers. */
  | { hang: true; onHungUp?: () => void }

/** Turn by turn, the last one repeatedly; or what a function returns for the request, now or later. */
export type Script = Turn[] | ((request: ModelRequest, index: number) => Turn | Promise<Turn>)

export type ModelRequest = SeenRequest & { json: Record<string, unknown> }
export type SpokenTurn = Exclude<
  Turn,
  { status: number } | { hang: true } | { body: string } | { write: unknown }
>

/** The common part of the stub servers: records the requests and plays the script. */
export function playScript(
  script: Script,
  write: (
    turn: SpokenTurn | Extract<Turn, { status: number }>,
    request: ModelRequest,
    response: ServerResponse,
  ) => void,
  /** Why the real API would refuse this request, or null. A refused request takes no turn of the script. */
  refuse: (request: ModelRequest) => string | null = () => null,
) {
  const requests: ModelRequest[] = []
  let played = 0
  return {
    requests,
    async answer(seen: SeenRequest, response: ServerResponse): Promise<void> {
      const request = { ...seen, json: JSON.parse(seen.body) as Record<string, unknown> }
      requests.push(request)
      const refusal = refuse(request)
      if (refusal !== null) return write({ status: 400, message: refusal }, request, response)
      const index = played++
      const turn =
        typeof script === 'function'
          ? await script(request, index)
          : script[Math.min(index, script.length - 1)]
      if (!turn) throw new Error('The script is empty.')
      if ('hang' in turn) {
        if (turn.onHungUp) response.once('close', turn.onHungUp)
        return
      }
      if ('write' in turn) return await turn.write(response)
      if ('body' in turn) {
        response.writeHead(turn.as ?? 200, { 'content-type': 'application/json' }).end(turn.body)
        return
      }
      write(turn, request, response)
    },
  }
}

/** A stream of server-sent events. */
export function writeEvents(response: ServerResponse, events: readonly string[]): void {
  response.setHeader('content-type', 'text/event-stream')
  for (const event of events) response.write(`${event}\n\n`)
  response.end()
}

/** A text in two pieces, cut in its middle. */
export function halves(text: string): string[] {
  const middle = Math.floor(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)]
}

/** The tools of connectors in a request; those that Bellhop itself answers have no two underscores in their names. */
export function namesOf(tools: unknown): string[] {
  const all = (tools ?? []) as { name: string }[] // the provider's wire format
  return all.map(({ name }) => name).filter((name) => name.includes('__'))
}

/** The texts of the messages in a request to Anthropic, tool results included. */
export function textsOf(messages: unknown): string[] {
  const list = (messages ?? []) as { content: string | { text?: string; content?: unknown }[] }[] // the provider's wire format
  return list.flatMap(({ content }) =>
    typeof content === 'string'
      ? [content]
      : content.map(
          (part) =>
            part.text ??
            (typeof part.content === 'string' ? part.content : JSON.stringify(part.content ?? '')),
        ),
  )
}
