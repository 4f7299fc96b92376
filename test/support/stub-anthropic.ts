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

/** Anthropic's Messages API on loopback: real requests and answers, scripted content. */
export async function startStubAnthropic(script: Script) {
  const { requests, answer } = playScript(
    script,
    (turn, request, response) => {
      if ('status' in turn) {
        const error = {
          type: 'error',
          error: { type: 'api_error', message: turn.message ?? 'scripted failure' },
        }
        response.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers })
        response.end(JSON.stringify(error))
        return
      }
      if (request.json.stream) return writeEvents(response, eventsOf(turn))
      response.setHeader('content-type', 'application/json').end(messageOf(turn))
    },
    refuse,
  )
  const target = await startTarget(answer)
  return {
    requests,
    env: {
      MODEL_PROVIDER: 'anthropic',
      MODEL_NAME: 'claude-sonnet-4-5',
      MODEL_API_KEY: 'planted-model-key',
      MODEL_BASE_URL: `${target.origin}/v1`,
    },
    [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
  }
}

type Block = { type: string; text?: string; id?: string; tool_use_id?: string; cache_control?: unknown }
type Sent = {
  system?: Block[]
  tools?: { name: string; input_schema: Record<string, unknown> }[]
  messages: { role: string; content: string | Block[] }[]
}

/** What the Messages API is known to refuse, with its messages. */
function refuse({ json }: ModelRequest): string | null {
  const { system = [], tools = [], messages } = json as Sent // Anthropic's wire format
  for (const [index, { name, input_schema: schema }] of tools.entries()) {
    const at = `tools.${index}.custom`
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) return `${at}.name: String should match pattern`
    if (schema.type !== 'object') return `${at}.input_schema.type: Field required`
    if (['oneOf', 'allOf', 'anyOf'].some((keyword) => keyword in schema))
      return `${at}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`
    const keys = Object.keys(schema.properties ?? {})
    if (!keys.every((key) => /^[a-zA-Z0-9_.-]{1,64}$/.test(key)))
      return `${at}.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'`
  }
  const contents = messages.map(({ content }) =>
    typeof content === 'string' ? [{ type: 'text', text: content } as Block] : content,
  )
  const marked = [system, ...contents].flat().filter((block) => block.cache_control)
  if (marked.length > 4)
    return `A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`
  for (const [index, blocks] of contents.entries()) {
    const texts = blocks.filter(({ type }) => type === 'text').map(({ text = '' }) => text)
    if (blocks.length === 0) return `messages.${index}: all messages must have non-empty content`
    if (texts.includes('')) return 'messages: text content blocks must be non-empty'
    if (texts.length > 0 && texts.every((text) => text.trim() === ''))
      return 'messages: text content blocks must contain non-whitespace text'
    if (blocks.at(-1)?.type === 'thinking')
      return `messages.${index}: The final block in an assistant message cannot be \`thinking\`.`
    const used = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id)
    const answered = new Set((contents[index + 1] ?? []).map(({ tool_use_id: id }) => id))
    const missing = used.filter((id) => !answered.has(id))
    if (missing.length > 0)
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing}`
  }
  return messages[0]?.role === 'user' ? null : 'messages: first message must use the "user" role'
}

function messageOf(turn: SpokenTurn): string {
  const text =
    turn.text === undefined || turn.text === '' ? [] : [JSON.stringify({ type: 'text', text: turn.text })]
  const calls = 'calls' in turn ? turn.calls : []
  const uses = calls.map(({ name, input }) => {
    // Text is sent unchanged, so that numbers can be longer than JavaScript's.
    const raw = typeof input === 'string' ? input : JSON.stringify(input)
    return `{"type":"tool_use","id":"toolu_${randomUUID()}","name":${JSON.stringify(name)},"input":${raw}}`
  })
  const stop = turn.stop ? { length: 'max_tokens', refusal: 'refusal' }[turn.stop] : null
  const reason = stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn')
  return (
    `{"id":"msg_${randomUUID()}","type":"message","role":"assistant","model":"claude-sonnet-4-5",` +
    `"content":[${[...text, ...uses].join(',')}],"stop_reason":"${reason}","stop_sequence":null,` +
    '"usage":{"input_tokens":100,"output_tokens":20,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}}'
  )
}

/** The same message in pieces: each text and each input in two. */
function eventsOf(turn: SpokenTurn): string[] {
  const { content, stop_reason, usage, ...message } = JSON.parse(messageOf({ ...turn, calls: [] }))
  const calls = 'calls' in turn ? turn.calls : []
  const blocks = [
    ...content.map(({ text }: { text: string }) => ({
      start: { type: 'text', text: '' },
      deltas: halves(text).map((half) => ({ type: 'text_delta', text: half })),
    })),
    ...calls.map(({ name, input }) => ({
      start: { type: 'tool_use', id: `toolu_${randomUUID()}`, name, input: {} },
      deltas: halves(typeof input === 'string' ? input : JSON.stringify(input)).map((half) => ({
        type: 'input_json_delta',
        partial_json: half,
      })),
    })),
  ]
  const reason = stop_reason === 'end_turn' && calls.length > 0 ? 'tool_use' : stop_reason
  return [
    {
      type: 'message_start',
      message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    { type: 'ping' },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta: object) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    },
    { type: 'message_stop' },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}`)
}
