import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join as joinPath } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { parse } from 'yaml'
import { join } from '../accounts/visitor.ts'
import { plainEnv } from '../support/plain-env.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startTarget } from '../support/start-target.ts'
import {
  loopback,
  startTestApp,
  type TestApp,
  testApiKey,
  testEncryptionKey,
} from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { createConnector, finish, type Plan, type Shown, signIn, startOauthScene } from './oauth-scene.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type Trial = {
  request: { headers: Record<string, string> }
  response: { status: number; body: string } | null
  error: { code: string; message: string } | null
}

const main = joinPath(import.meta.dirname, '../../src/main.ts')

const readMe = {
  name: 'read_me',
  description: 'Reads',
  method: 'GET',
  path: '/me',
  capability: 'read',
  inputSchema: { type: 'object' },
}

const read = (app: TestApp, id: string) => app.get<Shown>(`/api/v1/connectors/${id}`)
const tryTool = (app: TestApp, { tools }: Shown) =>
  app.api<Trial>('POST', `/api/v1/tools/${tools[0]?.id}/try`, { input: {} })

/** As if the token had been granted long ago. */
async function age(app: TestApp, id: string, { toSeconds }: { toSeconds: number }): Promise<void> {
  await sql`
    update connector_grants set issued_at = now() - interval '1 hour', expires_at = now() + make_interval(secs => ${toSeconds}),
      lease_until = null
    where connector_id = ${id}`.execute(app.app.ctx.db)
}

async function notices(app: TestApp, id: string): Promise<number> {
  const { items } = await app.get<{ items: { action: string; subject: string }[] }>('/api/v1/audit?limit=100')
  return items.filter(({ action, subject }) => action === 'connector.access-ended' && subject === id).length
}

verifies(
  ['oauth:discovery', 'oauth:registration', 'oauth:grant'],
  'an admin signs in where an MCP server says, and its tools are found and called with the token',
  async () => {
    const app = await sharedApp()
    await using scene = await startOauthScene()
    const { id } = await createConnector(app, { type: 'mcp', url: scene.url })
    const path = `/api/v1/connectors/${id}`
    assert.equal((await read(app, id)).grant.state, 'none')
    const before = await app.api<{ problem: { code: string; message: string } }>('POST', `${path}/test`)
    assert.match(before.body.problem.message, /Nobody has signed in/)

    const plan = await app.api<Plan>('POST', `${path}/oauth/discover`)
    assert.deepEqual(
      [plan.body.issuer, plan.body.signInAt, plan.body.scopes, plan.body.registration],
      [scene.server.issuer, scene.server.pair, ['openid', 'email', 'docs:read', 'offline_access'], 'dcr'],
    )
    assert.equal(await signIn(app, scene, id), `/connectors/${id}`)
    const { grant, version } = await read(app, id)
    assert.deepEqual(
      [grant.state, grant.account, grant.canRefresh, grant.issuer, grant.registration, grant.connectedBy],
      ['connected', 'kim@example.test', true, scene.server.issuer, 'dcr', 'The admin'],
    )
    assert.equal(version, 2)

    const tested = await app.api<{ server: { tools: number } }>('POST', `${path}/test`)
    assert.equal(tested.body.server?.tools, 1, tested.text)
    const shown = await read(app, id)
    await app.api('PATCH', `${path}/tools/${shown.tools[0]?.id}`, {
      state: 'enabled',
      capability: 'read',
      hash: shown.tools[0]?.hash,
    })
    const tried = await tryTool(app, shown)
    assert.equal(tried.body.response?.body, 'a page')
    assert.equal(tried.body.request.headers.Authorization, 'Bearer •••••••• (as kim@example.test)')
    for (const text of [JSON.stringify(shown), tried.text, JSON.stringify(await app.get('/api/v1/audit'))])
      for (const token of new Set(scene.tokens)) assert.ok(!text.includes(token))

    // The server and everything that was granted are forgotten together.
    const { visitor } = await join(app, 'admin')
    assert.equal((await visitor.send('POST', `/connectors/${id}/oauth/disconnect`)).status, 204)
    assert.equal(await scene.server.isValid(scene.tokens.at(-1) ?? ''), false)
    assert.equal((await read(app, id)).grant.state, 'none')
    assert.match((await tryTool(app, shown)).text, /Nobody has signed in/)
  },
)

verifies(
  'oauth:refresh-once',
  'two replicas that need a new token at the same time ask for one, and pending approvals stay valid',
  async () => {
    const app = await sharedApp()
    await using scene = await startOauthScene()
    await using second = await startTestApp({ env: loopback, databaseUrl: app.databaseUrl })
    const shown = await createConnector(app, {
      type: 'http',
      baseUrl: scene.target.origin,
      oauth: { issuer: scene.server.issuer, scopes: ['openid', 'email', 'offline_access'] },
      tools: [readMe],
    })
    await signIn(app, scene, shown.id)
    const { version } = await read(app, shown.id)
    for (const toSeconds of [-60, 60]) {
      scene.server.asked.length = 0
      await age(app, shown.id, { toSeconds })
      const tries = await Promise.all([1, 2, 3].flatMap(() => [tryTool(app, shown), tryTool(second, shown)]))
      assert.deepEqual(
        tries.map(({ body }) => body.response?.status),
        Array(6).fill(200),
      )
      assert.deepEqual(scene.server.asked, ['refresh_token'])
      // The server echoes the token, and nobody sees it.
      assert.match(tries[0]?.body.response?.body ?? '', /\[masked credential\]/)
    }
    assert.equal((await read(app, shown.id)).version, version)

    // A token that the API refuses is renewed once, and the request is sent again.
    scene.server.asked.length = 0
    await sql`update connector_grants set issued_at = now() - interval '1 minute' where connector_id = ${shown.id}`.execute(
      app.app.ctx.db,
    )
    await scene.server.revoke(scene.tokens.at(-1) ?? '')
    assert.equal((await tryTool(app, shown)).body.response?.status, 200)
    assert.deepEqual(scene.server.asked, ['refresh_token'])
  },
)

verifies(
  ['oauth:grant', 'oauth:refresh-once', 'cli:export', 'cli:doctor'],
  'an approval names the account and outlasts a renewal; doctor lists what was granted, a file has only the configuration, and with its key it is gone',
  async () => {
    await using app = await startTestApp({ env: loopback })
    await using scene = await startOauthScene()
    const shown = await createConnector(app, {
      type: 'http',
      name: 'Payments',
      baseUrl: scene.target.origin,
      oauth: { issuer: scene.server.issuer, scopes: ['openid', 'email', 'offline_access'] },
      tools: [{ ...readMe, name: 'pay', method: 'POST', capability: 'write' }],
    })
    await signIn(app, scene, shown.id)
    const call = { method: 'tools/call', params: { name: 'payments__pay', arguments: {} } }
    const headers = { prefer: 'wait=0', accept: 'application/json, text/event-stream' }
    await app.api('POST', '/mcp', { jsonrpc: '2.0', id: 1, ...call }, { headers })
    type Approval = { id: string; runId: string; request: { headers: Record<string, string> } }
    const { items } = await app.get<{ items: Approval[] }>('/api/v1/approvals?status=pending')
    assert.equal(items[0]?.request.headers.Authorization, 'Bearer •••••••• (as kim@example.test)')
    await age(app, shown.id, { toSeconds: -60 })
    await app.api('POST', `/api/v1/approvals/${items[0]?.id}/approve`)
    type Run = { status: string; toolCalls: { response: { status: number } | null }[] }
    const readRun = () => app.get<Run>(`/api/v1/runs/${items[0]?.runId}`)
    await until(async () => (await readRun()).status !== 'waiting')
    await until(async () => (await readRun()).status === 'succeeded')
    assert.equal((await readRun()).toolCalls[0]?.response?.status, 200)
    assert.equal(scene.server.asked.at(-1), 'refresh_token')

    const bellhop = async (command: string, env: Record<string, string>) =>
      (await promisify(execFile)(process.execPath, [main, command], { env: { ...plainEnv, ...env } })).stdout
    const checked = await bellhop('doctor', {
      DATABASE_URL: app.databaseUrl,
      ENCRYPTION_KEY: testEncryptionKey,
    })
    assert.match(checked, /Payments as kim@example\.test/)
    const file = await bellhop('export', { PUBLIC_URL: app.url, API_KEY: testApiKey })
    const { connectors } = parse(file) as { connectors: { name: string; oauth: object }[] }
    const exported = connectors.find(({ name }) => name === 'Payments')
    assert.partialDeepStrictEqual(exported, { authType: 'oauth', oauth: { issuer: scene.server.issuer } })
    assert.doesNotMatch(JSON.stringify(exported), /kim@|grant|generation/)
    for (const token of new Set(scene.tokens)) assert.ok(!file.includes(token))

    await sql`
      update connector_grants set access_token = regexp_replace(access_token, '^v1\\.[^.]+', 'v1.0123456789ab')
      where connector_id = ${shown.id}`.execute(app.app.ctx.db)
    const lost = await read(app, shown.id)
    assert.deepEqual(
      [lost.grant.state, /its encryption key is gone/.test(lost.grant.lastError ?? '')],
      ['reconnect', true],
    )
  },
)

verifies(
  'oauth:reconnect',
  'a grant that has ended is not asked for again: one notice, and an admin reconnects',
  async () => {
    const app = await sharedApp()
    await using scene = await startOauthScene()
    const shown = await createConnector(app, {
      type: 'http',
      baseUrl: scene.target.origin,
      oauth: { issuer: scene.server.issuer, scopes: ['openid', 'offline_access'] },
      tools: [readMe],
    })
    await signIn(app, scene, shown.id)
    const { version } = await read(app, shown.id)
    const { db, vault } = app.app.ctx
    const place = { table: 'connector_grants', row: shown.id, column: 'refresh_token' }
    const { rows } = await sql<{ refreshToken: string }>`
      select refresh_token from connector_grants where connector_id = ${shown.id}`.execute(db)
    const used = rows[0]?.refreshToken ?? ''
    assert.ok(vault.open(used, place).reveal().length > 10)
    await age(app, shown.id, { toSeconds: -60 })
    await tryTool(app, shown)
    // What a process would use that knows nothing of the renewal.
    await sql`update connector_grants set refresh_token = ${used} where connector_id = ${shown.id}`.execute(
      db,
    )
    await age(app, shown.id, { toSeconds: -60 })
    const tries = await Promise.all([tryTool(app, shown), tryTool(app, shown)])
    for (const { text } of tries) assert.match(text, /An admin must reconnect it/)
    const ended = await read(app, shown.id)
    assert.deepEqual([ended.grant.state, ended.version], ['reconnect', version])
    assert.match(ended.grant.lastError ?? '', /invalid_grant/)
    assert.match((await tryTool(app, shown)).text, /An admin must reconnect it/)
    assert.deepEqual([scene.server.refused, await notices(app, shown.id)], [['refresh_token'], 1])

    await signIn(app, scene, shown.id)
    const again = await read(app, shown.id)
    assert.deepEqual([again.grant.state, again.version], ['connected', version + 1])
    assert.equal((await tryTool(app, shown)).body.response?.status, 200)
  },
)

verifies(
  ['oauth:pinned', 'oauth:state'],
  'nobody is sent to another authorization server than the one that was shown, and a sign-in ends where it began',
  async () => {
    const app = await sharedApp()
    await using scene = await startOauthScene()
    const { id } = await createConnector(app, { type: 'mcp', url: scene.url })
    const { visitor: admin } = await join(app, 'admin')
    const start = (body = {}) =>
      admin.send<{ authorizationUrl: string; detail: string }>('POST', `/connectors/${id}/oauth/start`, body)

    assert.match(
      (await start({ issuer: 'https://auth.example.test' })).body.detail,
      /now wants you to sign in at/,
    )
    const withKey = await app.api('POST', `/api/v1/connectors/${id}/oauth/start`, {})
    assert.equal(withKey.status, 403)

    // The state belongs to one session, and is used once.
    const begun = await start()
    const callback = await scene.server.visit(begun.body.authorizationUrl, app.url)
    const { visitor: other } = await join(app, 'admin')
    assert.equal(await finish(callback, other), '/connectors?sign-in=expired')
    assert.equal(await finish(callback, admin), '/connectors?sign-in=expired')

    // The answer must come from the server that was asked (RFC 9207).
    const forged = new URL(await scene.server.visit((await start()).body.authorizationUrl, app.url))
    forged.searchParams.set('iss', 'https://evil.example.test')
    await finish(forged.href, admin)
    const refused = await read(app, id)
    assert.match(refused.health.lastError ?? '', /another authorization server/)
    assert.doesNotMatch(JSON.stringify(refused), /evil/)
    const denied = new URL(await scene.server.visit((await start()).body.authorizationUrl, app.url))
    denied.search = `?error=access_denied&state=${denied.searchParams.get('state')}&iss=${scene.server.issuer}`
    await finish(denied.href, admin)
    assert.match((await read(app, id)).health.lastError ?? '', /You refused access; nothing was stored/)

    await signIn(app, scene, id, { admin })
    await using elsewhere = await startOauthScene()
    scene.own.issuer = elsewhere.server.issuer
    const plan = await admin.send<Plan>('POST', `/connectors/${id}/oauth/discover`)
    assert.equal(plan.body.changed, true)
    assert.match((await start()).body.detail, /not at http/)
    assert.equal((await read(app, id)).grant.issuer, scene.server.issuer)

    // Another origin is another server: nothing that was granted goes there.
    const moved = await app.api<Shown>('PATCH', `/api/v1/connectors/${id}`, { url: elsewhere.url })
    assert.equal(moved.body.grant.state, 'none')
  },
)

verifies(
  'oauth:client-credentials',
  'client credentials get their first token when it is needed, and say what the server refuses',
  async () => {
    const app = await sharedApp()
    await using scene = await startOauthScene()
    const oauth = {
      tokenUrl: `${scene.server.issuer}/token`,
      clientId: 'robot',
      clientSecret: 'planted-robot-secret-0001',
    }
    const shown = await createConnector(app, {
      type: 'http',
      baseUrl: scene.target.origin,
      authType: 'oauth_client',
      oauth,
      tools: [readMe],
    })
    assert.deepEqual(shown.oauth.clientSecret, { set: true })
    const tries = await Promise.all([tryTool(app, shown), tryTool(app, shown)])
    assert.deepEqual(
      tries.map(({ body }) => body.response?.status),
      [200, 200],
    )
    assert.deepEqual(scene.server.asked, ['client_credentials'])
    const { grant } = await read(app, shown.id)
    assert.deepEqual([grant.state, grant.canRefresh], ['connected', true])

    const patched = await app.api<Shown>('PATCH', `/api/v1/connectors/${shown.id}`, {
      oauth: { clientSecret: 'another-secret-0002' },
    })
    assert.equal(patched.body.grant.state, 'none')
    assert.match((await tryTool(app, shown)).text, /reconnect/)
    assert.match((await read(app, shown.id)).grant.lastError ?? '', /invalid_client/)
    // The secret is for one server: it does not follow the address.
    const moved = await app.api<Shown>('PATCH', `/api/v1/connectors/${shown.id}`, {
      oauth: { tokenUrl: 'https://evil.example.test/token' },
    })
    assert.deepEqual(moved.body.oauth.clientSecret, { set: false })
  },
)

verifies(
  'oauth:client-credentials',
  'a token that would live longer than a date can be written is used, and asked for once',
  async () => {
    const app = await sharedApp()
    await using target = await startTarget(({ url }, response) => {
      const issuer = target.origin
      const answers: Record<string, object> = {
        '/.well-known/oauth-authorization-server': {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          response_types_supported: ['code'],
          grant_types_supported: ['client_credentials'],
        },
        '/token': { access_token: 'planted-long-token', token_type: 'Bearer', expires_in: 1e15 },
        '/me': { name: 'kim' },
      }
      response
        .writeHead(answers[url] ? 200 : 404, { 'content-type': 'application/json' })
        .end(JSON.stringify(answers[url] ?? {}))
    })
    const robot = await createConnector(app, {
      type: 'http',
      name: 'Robot that lives long',
      baseUrl: target.origin,
      authType: 'oauth_client',
      oauth: { issuer: target.origin, clientId: 'robot', clientSecret: 'planted-robot-secret-0001' },
      tools: [readMe],
    })
    for (const _ of [1, 2]) {
      const { body } = await tryTool(app, robot)
      assert.equal(body.error, null)
      assert.deepEqual(JSON.parse(body.response?.body ?? ''), { name: 'kim' })
    }
    assert.equal(target.seen.filter(({ url }) => url === '/token').length, 1)
  },
)

verifies(
  'oauth:registration',
  'a server that registers nobody is given our description, or a person is told what to register there',
  async () => {
    const app = await sharedApp()
    const { ctx } = app.app
    const { publicUrl } = ctx
    using _restored = { [Symbol.dispose]: () => void Object.assign(ctx, { publicUrl }) }
    ctx.publicUrl = 'https://bellhop.example.test'
    const metadata: Record<string, unknown> = {}
    await using server = await startTarget(({ url }, response) => {
      if (url !== '/.well-known/oauth-authorization-server') {
        response.writeHead(404).end()
        return
      }
      const { origin: issuer } = server
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
          ...metadata,
        }),
      )
    })
    const { id } = await createConnector(app, {
      type: 'http',
      baseUrl: 'https://api.example.test',
      oauth: {
        issuer: server.origin,
        scopes: ['a', 'b'],
        extraParams: { access_type: 'offline', state: 'x' },
      },
    })
    const { visitor } = await join(app, 'admin')
    const start = () =>
      visitor.send<{ detail: string; authorizationUrl: string }>('POST', `/connectors/${id}/oauth/start`, {})
    const callback = 'https://bellhop.example.test/api/v1/oauth/callback'
    assert.match(
      (await start()).body.detail,
      new RegExp(`Register an app there with the callback URL ${callback}`),
    )

    metadata.client_id_metadata_document_supported = true
    const document = await app.get<{ client_id: string; redirect_uris: string[] }>('/oauth/client.json')
    assert.deepEqual(document.redirect_uris, [callback])
    const { authorizationUrl } = (await start()).body
    const sent = new URL(authorizationUrl).searchParams
    assert.equal(sent.get('client_id'), document.client_id)
    assert.deepEqual(
      [sent.get('access_type'), sent.get('code_challenge_method'), sent.get('scope')],
      ['offline', 'S256', 'a b'],
    )
    assert.notEqual(sent.get('state'), 'x')

    metadata.issuer = 'https://evil.example.test'
    assert.match((await start()).body.detail, /belongs to another address than it says/)
    delete metadata.issuer
    metadata.token_endpoint = 'http://auth.example.test/token'
    assert.match((await start()).body.detail, /not https/)
    const insecure = await app.api('PATCH', `/api/v1/connectors/${id}`, {
      oauth: { issuer: 'http://auth.example.test' },
    })
    assert.match(insecure.text, /must begin with https/)
  },
)
