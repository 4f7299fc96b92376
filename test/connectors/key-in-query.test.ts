import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { shareInFile } from '../support/share-in-file.ts'
import { startSmallMcp } from '../support/start-small-mcp.ts'
import { startTarget } from '../support/start-target.ts'
import { loopback, startTestApp, type TestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const key = 'planted-query-key/1 & more'
const encoded = encodeURIComponent(key)

type Shown = Record<string, unknown> & { id: string; version: number; tools: { id: string; hash: string }[] }
type Trial = { request: { url: string; headers: Record<string, string> }; response: { body: string } }

async function create(app: TestApp, body: Record<string, unknown>): Promise<Shown> {
  const answer = await app.api<Shown>('POST', '/api/v1/connectors', { name: 'Weather', ...body })
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

const readTool = (path: string) => ({
  name: 'read',
  description: 'Reads',
  method: 'GET',
  path,
  capability: 'read',
  inputSchema: { type: 'object', properties: { q: { type: 'string' }, appid: { type: 'string' } } },
})

verifies(
  'connectors:auth-query',
  'a key in the query is sealed, sent with every request and shown nowhere',
  async () => {
    const app = await sharedApp()
    await using target = await startTarget(({ url }, response) => {
      response.setHeader('content-type', 'text/plain').end(`you sent ${url}`)
    })
    const shown = await create(app, {
      type: 'http',
      baseUrl: target.origin,
      authType: 'query',
      authName: 'appid',
      authValue: key,
      tools: [readTool('/now?units=metric')],
    })
    assert.deepEqual([shown.authType, shown.authName, shown.authValue], ['query', 'appid', { set: true }])

    const tried = await app.api<Trial>('POST', `/api/v1/tools/${shown.tools[0]?.id}/try`, {
      input: { q: 'Paris', appid: 'of the agent' },
    })
    assert.equal(target.seen[0]?.url, `/now?units=metric&q=Paris&appid=${encoded}`)
    assert.equal(tried.body.request.url, `${target.origin}/now?units=metric&q=Paris&appid=••••••••`)
    assert.match(tried.body.response.body, /appid=\[masked credential\]/)

    await app.api('POST', `/api/v1/connectors/${shown.id}/test`)
    assert.equal(target.seen[1]?.url, `/?appid=${encoded}`)
    const audit = JSON.stringify(await app.get('/api/v1/audit'))
    assert.match(audit, /appid=••••••••/)
    for (const text of [tried.text, audit, JSON.stringify(shown)])
      assert.ok(!text.includes('planted-query-key'), text)
  },
)

verifies(
  'connectors:auth-same-for-both',
  'an MCP server gets a key in the query, a header of any name, a password, and secret default headers',
  async () => {
    const app = await sharedApp()
    await using mcp = await startSmallMcp([{ name: 'one', inputSchema: { type: 'object' } }])
    const url = `${mcp.origin}/mcp?team=7`
    const { id } = await create(app, {
      type: 'mcp',
      url,
      authType: 'query',
      authName: 'exaApiKey',
      authValue: key,
      defaultHeaders: { 'Notion-Token': 'planted-header', 'X-Team': 'red', Accept: 'text/html' },
    })
    const path = `/api/v1/connectors/${id}`
    const test = async (patch: Record<string, unknown>) => {
      const patched = await app.api('PATCH', path, patch)
      assert.equal(patched.status, 200, patched.text)
      mcp.seen.length = 0
      const tested = await app.api<{ problem: unknown }>('POST', `${path}/test`)
      assert.equal(tested.body.problem, null, tested.text)
      return mcp.seen
    }
    for (const { url: sent, headers } of await test({})) {
      assert.equal(sent, `/mcp?team=7&exaApiKey=${encoded}`)
      assert.deepEqual([headers['notion-token'], headers['x-team']], ['planted-header', 'red'])
      assert.notEqual(headers.accept, 'text/html')
    }
    const read = await app.get<Shown>(path)
    assert.deepEqual(read.defaultHeaders, {
      'Notion-Token': { set: true },
      'X-Team': 'red',
      Accept: 'text/html',
    })

    const keyed = await test({ authType: 'api_key', authName: 'X-API-Key', authValue: 'k'.repeat(12) })
    assert.deepEqual([keyed[0]?.url, keyed[0]?.headers['x-api-key']], ['/mcp?team=7', 'k'.repeat(12)])
    const [basic] = await test({ authType: 'basic', authName: null, authValue: 'kim:pass' })
    assert.equal(basic?.headers.authorization, `Basic ${btoa('kim:pass')}`)

    // A new origin drops what is sealed, as for an HTTP connector.
    const moved = await app.api<Shown>('PATCH', path, { url: 'https://mcp.example.test/mcp' })
    assert.deepEqual(
      [moved.body.authValue, moved.body.defaultHeaders],
      [{ set: false }, { 'X-Team': 'red', Accept: 'text/html' }],
    )
  },
)

verifies(
  'connectors:no-key-in-url',
  'a key in a URL or path is refused with the way to do it right, and stored ones are moved at the start',
  async () => {
    const app = await sharedApp()
    const base = { name: 'x', type: 'http', baseUrl: 'https://api.example.test' }
    for (const body of [
      { name: 'x', type: 'mcp', url: 'https://mcp.example.test/mcp?apiKey=SECRET-in-url-123456' },
      { ...base, baseUrl: 'https://api.example.test/?access_token=SECRET-in-url-123456' },
      { ...base, tools: [readTool('/posts?api_key=SECRET-in-url-123456')] },
    ]) {
      const refused = await app.api('POST', '/api/v1/connectors', body)
      assert.equal(refused.status, 422, refused.text)
      assert.match(refused.text, /authType \\"query\\" with authName/)
      assert.doesNotMatch(refused.text, /SECRET-in-url/)
    }
    for (const path of ['/posts?keyword=abcdefgh', '/posts?sort_key=created&auth=none', '/p?token={q}'])
      await create(app, { ...base, tools: [readTool(path)] })

    // As somebody saved it when this was the only way.
    const { db } = app.app.ctx
    const { id: http } = await create(app, {
      ...base,
      authValue: 'b'.repeat(9),
      authType: 'bearer',
      tools: [readTool('/a')],
    })
    const { id: mcp } = await create(app, { name: 'x', type: 'mcp', url: 'https://mcp.example.test/mcp' })
    await sql`update tools set path = '/a?api_key=SECRET-in-url-1&q=1' where connector_id = ${http}`.execute(
      db,
    )
    await sql`update connectors set base_url = base_url || '?apiKey=SECRET-in-url-2' where id = ${mcp}`.execute(
      db,
    )
    await using second = await startTestApp({ env: loopback, databaseUrl: app.databaseUrl })
    const moved = await second.get<Shown & { tools: { path: string }[] }>(`/api/v1/connectors/${http}`)
    assert.deepEqual(
      [moved.authType, moved.authName, moved.authValue, moved.defaultHeaders, moved.tools[0]?.path],
      ['query', 'api_key', { set: true }, { Authorization: { set: true } }, '/a?q=1'],
    )
    const server = await second.get<Shown>(`/api/v1/connectors/${mcp}`)
    assert.deepEqual([server.url, server.authName], ['https://mcp.example.test/mcp', 'apiKey'])
    assert.doesNotMatch(JSON.stringify(await second.get('/api/v1/audit')), /SECRET-in-url/)
  },
)

verifies(
  'api:unknown-is-json',
  'programs that ask for something that is not there get 404 as JSON, and people get the dashboard',
  async () => {
    const app = await sharedApp()
    for (const path of [
      '/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server/mcp',
      '/api/v2/none',
      '/mcp/none',
      '/oauth/none',
      '/chat',
      '/hooks',
    ]) {
      const answer = await app.api<{ type: string }>('GET', path, undefined, { headers: { accept: '*/*' } })
      assert.deepEqual([answer.status, answer.body.type], [404, 'not-found'], path)
      assert.match(answer.headers.get('content-type') ?? '', /json/, path)
    }
  },
)
