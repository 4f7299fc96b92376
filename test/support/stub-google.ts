import {
  halves,
  type ModelRequest,
  playScript,
  type Script,
  type SpokenTurn,
  writeEvents,
} from './model-script.ts'
import { startTarget } from './start-target.ts'

const retryInfo = 'type.googleapis.com/google.rpc.RetryInfo'

/** Google's generateContent on loopback: real requests and answers, scripted content. */
export async function startStubGoogle(script: Script) {
  const { requests, answer } = playScript(
    script,
    (turn, request, response) => {
      if ('status' in turn) {
        const error = {
          error: {
            code: turn.status,
            message: turn.message ?? 'scripted failure',
            status: 'UNAVAILABLE',
            details: turn.retryDelay ? [{ '@type': retryInfo, retryDelay: turn.retryDelay }] : [],
          },
        }
        response.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers })
        response.end(JSON.stringify(error))
        return
      }
      if (request.url.includes(':streamGenerateContent?alt=sse')) return writeEvents(response, eventsOf(turn))
      response.setHeader('content-type', 'application/json').end(contentOf(turn))
    },
    refuse,
  )
  const target = await startTarget(answer)
  return {
    requests,
    env: {
      MODEL_PROVIDER: 'google',
      MODEL_NAME: 'gemini-2.5-flash',
      MODEL_API_KEY: 'planted-model-key',
      MODEL_BASE_URL: `${target.origin}/v1beta`,
    },
    [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
  }
}

type Part = { functionCall?: unknown; functionResponse?: unknown; thoughtSignature?: string }

/** What Gemini is known to refuse, with its messages. */
function refuse({ json }: ModelRequest): string | null {
  const { contents } = json as { contents: { role: string; parts: Part[] }[] } // Google's wire format
  for (const [index, { parts }] of contents.entries()) {
    const calls = parts.filter((part) => part.functionCall)
    if (calls.length === 0) continue
    if (!calls[0]?.thoughtSignature)
      return 'Function call is missing a thought_signature in functionCall parts.'
    const answers = contents[index + 1]?.parts.filter((part) => part.functionResponse) ?? []
    if (answers.length !== calls.length)
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
  }
  return null
}

function contentOf(turn: SpokenTurn): string {
  const text = turn.text ? [JSON.stringify({ text: turn.text })] : []
  const calls = ('calls' in turn ? turn.calls : []).map(({ name, input }, index) => {
    // Text is sent unchanged, so that numbers can be longer than JavaScript's.
    const raw = typeof input === 'string' ? input : JSON.stringify(input)
    // The first call of a turn is signed, and must come back with its signature.
    const signature = index === 0 ? ',"thoughtSignature":"c2lnbmVk"' : ''
    return `{"functionCall":{"name":${JSON.stringify(name)},"args":${raw}}${signature}}`
  })
  const stop = turn.stop ? { length: 'MAX_TOKENS', refusal: 'SAFETY' }[turn.stop] : 'STOP'
  const content = `{"role":"model","parts":[${[...text, ...calls].join(',')}]}`
  return (
    `{"candidates":[{"index":0,"finishReason":"${stop}","content":${content}}],` +
    '"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":20,"totalTokenCount":120}}'
  )
}

/** The same answer in pieces: the text in two, then the calls with the reason to stop. */
function eventsOf(turn: SpokenTurn): string[] {
  const piece = (text: string) =>
    JSON.stringify({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] })
  const pieces = turn.text ? halves(turn.text).map(piece) : []
  return [...pieces, contentOf({ ...turn, text: '' })].map((event) => `data: ${event}`)
}
