import assert from 'node:assert/strict'
import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { sql } from 'kysely'
import { join } from '../accounts/visitor.ts'
import { startAuthorizationServer } from '../support/start-authorization-server.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

const callback = 'http://127.0.0.1:1/callback'

/** The official client’s own sign-in: it gets nothing but the URL of /mcp. */
function createProvider() {
  let client: OAuthClientInformationMixed | undefined
  let tokens: OAuthTokens | undefined
  let verifier = ''
  const seen: { url?: string; token?: string } = {}
  const provider: OAuthClientProvider = {
    redirectUrl: callback,
    clientMetadata: { client_name: 'a client', redirect_uris: [callback], scope: 'openid docs:read' },
    clientInformation: () => client,
    saveClientInformation(saved) {
      client = saved
    },
    tokens: () => tokens,
    saveTokens(saved) {
      tokens = saved
      seen.token = saved.access_token
    },
    redirectToAuthorization(url) {
      seen.url = url.href
    },
    saveCodeVerifier(saved) {
      verifier = saved
    },
    codeVerifier: () => verifier,
  }
  return { provider, seen }
}

verifies(
  'mcp:protected-resource',
  'an MCP client that has no key signs a person in at the OpenID provider and calls with their rights',
  async () => {
    await using server = await startAuthorizationServer({ accessTokenFormat: 'jwt' })
    await using app = await startTestApp({ env: loopback })
    const url = new URL('/mcp', app.url)
    const initialize = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
    const ask = (key: string | null) => app.api('POST', '/mcp', initialize, { key })
    // Without a provider there is nothing to discover.
    assert.equal((await ask(null)).headers.get('www-authenticate'), 'Bearer realm="Bellhop"')
    assert.equal((await app.api('GET', '/.well-known/oauth-protected-resource/mcp')).status, 404)

    const configured = await app.api('PUT', '/api/v1/oidc', {
      name: 'Company',
      issuer: server.issuer,
      clientId: 'robot',
      clientSecret: 'planted-robot-secret-0001',
      newUsersRole: null,
    })
    assert.equal(configured.status, 200, configured.text)
    const refused = await ask('blh_wrong')
    assert.equal(
      refused.headers.get('www-authenticate'),
      `Bearer realm="Bellhop", error="invalid_token", resource_metadata="${app.url}/.well-known/oauth-protected-resource/mcp"`,
    )

    const { provider, seen } = createProvider()
    const client = new Client({ name: 'test', version: '1' })
    const first = new StreamableHTTPClientTransport(url, { authProvider: provider })
    await assert.rejects(client.connect(first), UnauthorizedError)
    const back = new URL(await server.visit(seen.url ?? '', callback))
    await first.finishAuth(back.searchParams)
    const connect = () =>
      new Client({ name: 'test', version: '1' }).connect(
        new StreamableHTTPClientTransport(url, {
          requestInit: { headers: { authorization: `Bearer ${seen.token}` } },
        }),
      )
    // Nobody here has this account at the provider.
    await assert.rejects(connect())
    const { id } = await join(app, 'member')
    await sql`
      insert into user_identities (issuer, subject, user_id) values (${server.issuer}, 'kim', ${id})`.execute(
      app.app.ctx.db,
    )
    await connect()
    // It opens nothing else, and ends with the person.
    assert.equal((await app.api('GET', '/api/v1/me', undefined, { key: seen.token ?? '' })).status, 401)
    await sql`update users set disabled_at = now() where id = ${id}`.execute(app.app.ctx.db)
    assert.equal((await ask(seen.token ?? '')).status, 401)
  },
)
