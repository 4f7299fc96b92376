import { randomUUID } from 'node:crypto'
import {
  halves,
  type ModelRequest,
  playScript,
  type Script,
  type SpokenTurn,
  writeEvents,
} from './model-script.ts'
import { startTarget } from './start-target.ts'

/** OpenAI's API on loopback, in both variants: Responses (`openai`) and Chat Completions (`openai-compatible`). */
export async function startStubOpenai(script: Script) {
  const { requests, answer } = playScript(
    script,
    (turn, request, response) => {
      if ('status' in turn) {
        const error = {
          error: {
            message: turn.message ?? 'scripted failure',
            type: 'server_error',
            code: turn.code ?? null,
          },
        }
        response.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers })
        response.end(JSON.stringify(error))
        return
      }
      const isResponses = request.url.endsWith('/responses')
      const body = isResponses ? responseOf(turn) : completionOf(turn)
      if (request.json.stream)
        return writeEvents(response, isResponses ? eventsOf(responseOf(turn)) : chunksOf(completionOf(turn)))
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
    },
    refuse,
  )
  const target = await startTarget(answer)
  const baseUrl = `${target.origin}/v1`
  const common = { MODEL_NAME: 'gpt-5-mini', MODEL_API_KEY: 'planted-model-key', MODEL_BASE_URL: baseUrl }
  return {
    requests,
    baseUrl,
    pair: target.pair,
    env: { MODEL_PROVIDER: 'openai', ...common },
    compatibleEnv: { MODEL_PROVIDER: 'openai-compatible', ...common },
    [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
  }
}

type Declared = { name: string; description?: string; parameters: Record<string, unknown> }
type Sent = {
  tools?: (Declared & { function?: Declared })[]
  messages?: { role: string; tool_calls?: { id: string }[]; tool_call_id?: string }[]
  input?: { type?: string; role?: string; call_id?: string }[]
}

/** What both APIs are known to refuse, with their messages. */
function refuse({ json }: ModelRequest): string | null {
  const { tools = [], messages = [], input = [] } = json as Sent // OpenAI's wire formats
  for (const [index, tool] of tools.entries()) {
    const at = tool.function ? `tools[${index}].function` : `tools[${index}]`
    const { name, description = '', parameters } = tool.function ?? tool
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) return `Invalid '${at}.name': string does not match pattern.`
    if (description.length > 1024)
      return `Invalid '${at}.description': string too long. Expected a string with maximum length 1024, but got a string with length ${description.length} instead.`
    if (parameters.type !== 'object' || rootless.some((keyword) => keyword in parameters))
      return `Invalid schema for function '${name}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`
  }
  for (const [index, item] of input.entries()) {
    if (item.type === 'reasoning' && !['function_call', 'reasoning'].includes(typeAfter(input, index)))
      return `Item of type 'reasoning' was provided without its required following item.`
  }
  const asked = [
    ...messages.flatMap((message) => message.tool_calls?.map(({ id }) => id) ?? []),
    ...input.flatMap(({ type, call_id: id }) => (type === 'function_call' && id ? [id] : [])),
  ]
  const answered = new Set([
    ...messages.map((message) => message.tool_call_id),
    ...input.flatMap(({ type, call_id: id }) => (type === 'function_call_output' ? [id] : [])),
  ])
  const open = asked.filter((id) => !answered.has(id))
  return open.length > 0 ? `No tool output found for function call ${open[0]}.` : null
}

/** An assistant message has a role instead of a type. */
function typeAfter(input: { type?: string; role?: string }[], index: number): string {
  const next = input[index + 1]
  return next?.role === 'assistant' ? 'function_call' : (next?.type ?? '')
}

const rootless = ['oneOf', 'anyOf', 'allOf', 'enum', 'not']

function callsOf(turn: SpokenTurn) {
  return ('calls' in turn ? turn.calls : []).map(({ name, input }) => ({
    name,
    arguments: typeof input === 'string' ? input : JSON.stringify(input),
  }))
}

function responseOf(turn: SpokenTurn) {
  const text = turn.text ? [{ type: 'output_text', text: turn.text, annotations: [], logprobs: [] }] : []
  const calls = callsOf(turn)
  return {
    id: `resp_${randomUUID()}`,
    object: 'response',
    created_at: 1_760_000_000,
    status: turn.stop === 'length' ? 'incomplete' : 'completed',
    model: 'gpt-5-mini',
    incomplete_details: turn.stop
      ? { reason: turn.stop === 'length' ? 'max_output_tokens' : 'content_filter' }
      : null,
    output: [
      ...(text.length > 0
        ? [
            {
              type: 'message',
              id: `msg_${randomUUID()}`,
              role: 'assistant',
              status: 'completed',
              content: text,
            },
          ]
        : []),
      ...calls.map((call) => ({
        type: 'function_call',
        id: `fc_${randomUUID()}`,
        call_id: `call_${randomUUID()}`,
        status: 'completed',
        ...call,
      })),
    ],
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 120,
    },
  }
}

function completionOf(turn: SpokenTurn) {
  const calls = callsOf(turn)
  const stop = turn.stop ? { length: 'length', refusal: 'content_filter' }[turn.stop] : null
  return {
    id: `chatcmpl-${randomUUID()}`,
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'gpt-5-mini',
    choices: [
      {
        index: 0,
        finish_reason: stop ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
        message: {
          role: 'assistant',
          content: turn.text ?? null,
          ...(calls.length > 0
            ? {
                tool_calls: calls.map((call) => ({
                  id: `call_${randomUUID()}`,
                  type: 'function',
                  function: call,
                })),
              }
            : {}),
        },
      },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  }
}

/** Bellhop reads the last event; those before it show that the model works. */
function eventsOf(response: { status: string }): string[] {
  return [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_text.delta', delta: 'W' },
    { type: `response.${response.status}`, response },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}`)
}

/** The same completion in pieces: each text and each input in two, the count of tokens at the end. */
function chunksOf({ choices, usage, ...completion }: ReturnType<typeof completionOf>): string[] {
  const { message, finish_reason } = choices[0] ?? { message: { content: null }, finish_reason: 'stop' }
  const calls = 'tool_calls' in message ? (message.tool_calls ?? []) : []
  const deltas: object[] = [
    { role: 'assistant', content: '' },
    ...(message.content === null ? [] : halves(message.content).map((content) => ({ content }))),
    ...calls.flatMap(({ id, type, function: { name, arguments: text } }, index) => {
      const [first, second] = halves(text)
      return [
        { tool_calls: [{ index, id, type, function: { name, arguments: first } }] },
        { tool_calls: [{ index, function: { arguments: second } }] },
      ]
    }),
  ]
  const chunk = { ...completion, object: 'chat.completion.chunk' }
  return [
    ...deltas.map((delta) => ({ ...chunk, choices: [{ index: 0, delta, finish_reason: null }] })),
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...chunk, choices: [], usage },
  ]
    .map((event) => `data: ${JSON.stringify(event)}`)
    .concat('data: [DONE]')
}
