import { randomUUID } from 'node:crypto'
import { playScript, type Script, type SpokenTurn } from './model-script.ts'
import { startTarget } from './start-target.ts'

/** Anthropic's Messages API on loopback: real requests and answers, scripted words. */
export async function startStubAnthropic(script: Script) {
  const { requests, answer } = playScript(script, (turn, _request, response) => {
    if ('status' in turn) {
      const error = {
        type: 'error',
        error: { type: 'api_error', message: turn.message ?? 'scripted failure' },
      }
      response.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers })
      response.end(JSON.stringify(error))
      return
    }
    response.setHeader('content-type', 'application/json').end(messageOf(turn))
  })
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

function messageOf(turn: SpokenTurn): string {
  const text =
    turn.text === undefined || turn.text === '' ? [] : [JSON.stringify({ type: 'text', text: turn.text })]
  const calls = 'calls' in turn ? turn.calls : []
  const uses = calls.map(({ name, input }) => {
    // Text goes onto the wire as it is, so that numbers can be longer than JavaScript's.
    const raw = typeof input === 'string' ? input : JSON.stringify(input)
    return `{"type":"tool_use","id":"toolu_${randomUUID()}","name":${JSON.stringify(name)},"input":${raw}}`
  })
  const stop = 'stop' in turn ? { length: 'max_tokens', refusal: 'refusal' }[turn.stop ?? 'length'] : null
  const reason = stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn')
  return (
    `{"id":"msg_${randomUUID()}","type":"message","role":"assistant","model":"claude-sonnet-4-5",` +
    `"content":[${[...text, ...uses].join(',')}],"stop_reason":"${reason}","stop_sequence":null,` +
    '"usage":{"input_tokens":100,"output_tokens":20,"cache_creation_input_tokens":0,"cache_read_input_tokens":0}}'
  )
}
