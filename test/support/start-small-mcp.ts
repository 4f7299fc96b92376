import { startTarget } from './start-target.ts'

type Message = { id?: number | string; method: string; params?: Record<string, unknown> }

/** A remote MCP server (Streamable HTTP, answers as JSON) whose published tools can be changed while it runs. */
export async function startSmallMcp(
  tools: Record<string, unknown>[],
  result: Record<string, unknown> = { content: [{ type: 'text', text: 'The page says hello.' }] },
) {
  const published = { tools, result }
  const target = await startTarget((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(request.method === 'DELETE' ? 200 : 405).end()
      return
    }
    const { id, method, params } = JSON.parse(request.body) as Message
    if (id === undefined) {
      response.writeHead(202).end()
      return
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answerTo(method, params, published) }))
  })
  return Object.assign(target, { published })
}

function answerTo(
  method: string,
  params: Record<string, unknown> = {},
  { tools, result }: { tools: unknown[]; result: unknown },
) {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'small', version: '1.0.0' },
        },
      }
    case 'tools/list':
      return { result: { tools } }
    case 'tools/call':
      return { result }
    case 'ping':
      return { result: {} }
    default:
      return { error: { code: -32601, message: 'Method not found' } }
  }
}
