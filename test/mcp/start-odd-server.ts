import type { ServerResponse } from 'node:http'
import { type SeenRequest, startTarget } from '../support/start-target.ts'

export type Message = { id?: number | string; method: string; params?: Record<string, unknown> }
type Exchange = { message: Message; request: SeenRequest; response: ServerResponse }

/** True once it has answered (or will never do so). */
type Trick = (exchange: Exchange) => boolean

/** An MCP server over Streamable HTTP with scripted misbehaviour; everything else is answered correctly. */
export async function startOddServer(tools: unknown[]) {
  const calls: Message[] = []
  const streams: ServerResponse[] = []
  const own = {
    tools,
    pageSize: Number.POSITIVE_INFINITY,
    trick: (() => false) as Trick,
    resume: (() => false) as (lastEventId: string, response: ServerResponse) => boolean,
    /** What happens to a stream for announcements. */
    stream: (() => false) as (response: ServerResponse) => boolean,
    /** Null: it has no sessions. */
    sessionId: 'session-1' as string | null,
    /** How it answers an unknown session. */
    forget: (({ response }) => void response.writeHead(404).end()) as (exchange: Exchange) => void,
  }
  const target = await startTarget((request, response) => {
    if (request.method === 'GET') {
      const lastEventId = request.headers['last-event-id']
      if (lastEventId !== undefined && own.resume(String(lastEventId), response)) return
      if (own.stream(response)) return
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n')
      streams.push(response)
      return
    }
    if (request.method !== 'POST') {
      response.writeHead(200).end()
      return
    }
    const message = JSON.parse(request.body) as Message // the client's own words
    if (message.method === 'tools/call') calls.push(message)
    if (own.trick({ message, request, response })) return
    const { id } = message
    const known = request.headers['mcp-session-id'] ?? null
    if (message.method !== 'initialize' && known !== own.sessionId) {
      own.forget({ message, request, response })
      return
    }
    if (id === undefined) {
      response.writeHead(202).end()
      return
    }
    response.setHeader('content-type', 'application/json')
    if (own.sessionId !== null) response.setHeader('mcp-session-id', own.sessionId)
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answerTo(message) }))
  })

  function answerTo({ method, params = {} }: Message): Record<string, unknown> {
    switch (method) {
      case 'initialize':
        return {
          result: {
            protocolVersion: params.protocolVersion,
            capabilities: { tools: { listChanged: true } },
            serverInfo: { name: 'odd', version: '0.1' },
          },
        }
      case 'tools/list': {
        const from = Number(params.cursor ?? 0)
        const page = own.tools.slice(from, from + own.pageSize)
        const next = from + own.pageSize
        return { result: { tools: page, ...(next < own.tools.length ? { nextCursor: String(next) } : {}) } }
      }
      case 'tools/call':
        return { result: { content: [{ type: 'text', text: `called ${params.name}` }] } }
      default:
        return { result: {} }
    }
  }
  return Object.assign(target, {
    own,
    calls,
    /** The streams for announcements that clients have opened. */
    streams,
    url: `${target.origin}/mcp`,
    /** Says to whoever listens that the list has changed. */
    announce() {
      for (const stream of streams) {
        stream.write(
          'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n',
        )
      }
      return streams.length
    },
  })
}

export const textTool = (name: string, more: Record<string, unknown> = {}) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  ...more,
})
