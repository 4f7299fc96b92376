import { randomUUID } from 'node:crypto'
import { playScript, type Script, type SpokenTurn } from './model-script.ts'
import { startTarget } from './start-target.ts'

/** OpenAI's API on loopback, both ways to speak to it: Responses (`openai`) and Chat Completions (`openai-compatible`). */
export async function startStubOpenai(script: Script) {
  const { requests, answer } = playScript(script, (turn, request, response) => {
    if ('status' in turn) {
      const error = {
        error: { message: turn.message ?? 'scripted failure', type: 'server_error', code: null },
      }
      response.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers })
      response.end(JSON.stringify(error))
      return
    }
    const body = request.url.endsWith('/responses') ? responseOf(turn) : completionOf(turn)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  })
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
    status: 'stop' in turn && turn.stop === 'length' ? 'incomplete' : 'completed',
    model: 'gpt-5-mini',
    incomplete_details:
      'stop' in turn && turn.stop
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
  const stop = 'stop' in turn ? { length: 'length', refusal: 'content_filter' }[turn.stop ?? 'length'] : null
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
