import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { startTarget } from '../support/start-target.ts'

type Tool = { name: string; description: string; inputSchema: { type: 'object' } }

/** The official server of the revision 2026-07-28, which refuses whoever begins with a handshake. */
export async function startStatelessServer(tools: Tool[]) {
  const calls: string[] = []
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: 'stateless', version: '1' }, { capabilities: { tools: {} } })
      server.setRequestHandler('tools/list', () => ({ tools }))
      server.setRequestHandler('tools/call', ({ params }) => {
        calls.push(params.name)
        return { content: [{ type: 'text', text: `called ${params.name}` }] }
      })
      return server
    },
    { legacy: 'reject' },
  )
  const target = await startTarget(async ({ method, url, headers, body }, response) => {
    const request = new Request(new URL(url, 'http://localhost'), {
      method,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      ...(body === '' ? {} : { body }),
    })
    const answer = await handler.fetch(request)
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.end(await answer.text())
  })
  return Object.assign(target, { calls, url: `${target.origin}/mcp` })
}
