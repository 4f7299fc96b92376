import assert from 'node:assert/strict'
import { join, type Visitor } from '../accounts/visitor.ts'
import { startAuthorizationServer } from '../support/start-authorization-server.ts'
import { startTarget } from '../support/start-target.ts'
import type { TestApp } from '../support/start-test-app.ts'

export type Grant = {
  state: string
  account: string | null
  scopes: string[]
  canRefresh: boolean
  issuer: string | null
  registration: string | null
  connectedBy: string | null
  lastError: string | null
}
export type Shown = {
  id: string
  version: number
  grant: Grant
  oauth: Record<string, unknown>
  health: { lastError: string | null }
  tools: { id: string; hash: string }[]
}
export type Plan = {
  issuer: string
  signInAt: string
  scopes: string[]
  registration: string
  changed: boolean
  callbackUrl: string
}

/** An MCP server that demands tokens of an authorization server that others wrote, and says so as RFC 9728 wants it. */
export async function startOauthScene() {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startAuthorizationServer())
  const own = { issuer: server.issuer }
  const tool = {
    name: 'read_page',
    description: 'Reads',
    inputSchema: { type: 'object' },
    annotations: { readOnlyHint: true },
  }
  const tokens: string[] = []
  const target = stack.use(
    await startTarget((request, response) => {
      const json = (body: unknown): void =>
        void response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
      if (request.url === '/.well-known/oauth-protected-resource/mcp') {
        json({
          resource: `${target.origin}/mcp`,
          authorization_servers: [own.issuer],
          scopes_supported: ['openid', 'email', 'docs:read'],
        })
        return
      }
      if (request.url.startsWith('/.well-known/')) {
        response.writeHead(404).end()
        return
      }
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
      void server.isValid(token).then((isValid) => {
        if (!isValid) {
          const metadata = `${target.origin}/.well-known/oauth-protected-resource/mcp`
          response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` }).end()
          return
        }
        tokens.push(token)
        if (request.url !== '/mcp') return json({ echo: request.headers.authorization })
        if (request.method !== 'POST') return void response.writeHead(405).end()
        const { id, method } = JSON.parse(request.body) as { id?: number; method: string }
        if (id === undefined) return void response.writeHead(202).end()
        const result =
          method === 'initialize'
            ? {
                protocolVersion: '2025-06-18',
                capabilities: { tools: {} },
                serverInfo: { name: 'docs', version: '1' },
              }
            : method === 'tools/list'
              ? { tools: [tool] }
              : { content: [{ type: 'text', text: 'a page' }] }
        json({ jsonrpc: '2.0', id, result })
      })
    }),
  )
  const opened = stack.move()
  return {
    server,
    target,
    own,
    /** Tokens that the MCP server accepted. */
    tokens,
    url: `${target.origin}/mcp`,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
export type OauthScene = Awaited<ReturnType<typeof startOauthScene>>

export async function createConnector(app: TestApp, body: Record<string, unknown>): Promise<Shown> {
  const answer = await app.api<Shown>('POST', '/api/v1/connectors', {
    name: 'Docs',
    authType: 'oauth',
    ...body,
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

/** An admin signs in in a browser; where they end up. */
export async function signIn(
  app: TestApp,
  { server }: OauthScene,
  id: string,
  { admin, body = {} }: { admin?: Visitor; body?: Record<string, unknown> } = {},
): Promise<string | null> {
  const visitor = admin ?? (await join(app, 'admin')).visitor
  const begun = await visitor.send<{ authorizationUrl: string }>(
    'POST',
    `/connectors/${id}/oauth/start`,
    body,
  )
  assert.equal(begun.status, 200, begun.text)
  const callback = await server.visit(begun.body.authorizationUrl, app.url)
  return await finish(callback, visitor)
}

/** The browser is sent back to this URL. */
export async function finish(callback: string, { cookie }: Visitor): Promise<string | null> {
  const answer = await fetch(callback, { redirect: 'manual', headers: { cookie } })
  assert.equal(answer.status, 302, await answer.text())
  return answer.headers.get('location')
}
