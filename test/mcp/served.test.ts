import assert from 'node:assert/strict'
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { sql } from 'kysely'
import { rawNumber } from '../../src/platform/json/parse-exact-json.ts'
import { failure } from '../../src/tools/call-failures.ts'
import { toCallResult } from '../../src/tools/mcp-server/to-call-result.ts'
import { join } from '../accounts/visitor.ts'
import { becomes } from '../support/becomes.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startGate, startGateOn } from '../support/start-gate.ts'
import { startSmallMcp } from '../support/start-small-mcp.ts'
import { loopback, startTestApp, testApiKey } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type Result = {
  content: { type: string; text?: string }[]
  isError?: boolean
  _meta?: Record<string, string>
}
type AnyClient = {
  listTools(): Promise<{ tools: { name: string; inputSchema: unknown; annotations?: unknown }[] }>
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>
  getServerVersion(): { name: string; version: string } | undefined
  close(): Promise<void>
}

type Version = 1 | 2 | '2026-07-28'

async function connect(version: Version, url: string, { key = testApiKey, wait = 20 } = {}) {
  const requestInit = { headers: { authorization: `Bearer ${key}`, prefer: `wait=${wait}` } }
  const address = new URL('/mcp', url)
  let client: AnyClient
  if (version === 1) {
    const v1 = new ClientV1({ name: 'test', version: '1' })
    // The SDK's own types of transport and client disagree about optional fields.
    await v1.connect(new TransportV1(address, { requestInit }) as Parameters<typeof v1.connect>[0])
    client = v1
  } else {
    const mode = version === 2 ? ('legacy' as const) : { pin: version }
    const v2 = new ClientV2({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
    await v2.connect(new TransportV2(address, { requestInit }))
    client = v2
  }
  return {
    server: client.getServerVersion(),
    list: async () => (await client.listTools()).tools,
    // Both clients have checked the shape.
    call: async (name: string, input: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: input })) as Result,
    [Symbol.asyncDispose]: () => client.close(),
  }
}

for (const version of [1, 2, '2026-07-28'] as const) {
  verifies(
    'mcp:served',
    `the official client, version ${version}, lists our tools with their own schemas and reads through the gate`,
    async () => {
      await using gate = await startGateOn(await sharedApp())
      await using client = await connect(version, gate.app.url, { wait: 1 })
      const about = await gate.app.get<{ version: string }>('/api/v1/about')
      assert.partialDeepStrictEqual(client.server, { name: 'bellhop', version: about.version })
      const tools = await client.list()
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['shop__get_order', 'shop__refund', 'shop__delete_order'],
      )
      assert.equal(
        JSON.stringify(tools[0]?.inputSchema),
        '{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}',
      )
      assert.deepEqual(tools[0]?.annotations, { readOnlyHint: true, destructiveHint: false })

      const read = await client.call('shop__get_order', { id: 'A-1' })
      assert.deepEqual(read.content, [{ type: 'text', text: '{"ok":true}' }])
      const run = await gate.app.get<Record<string, unknown>>(`/api/v1/runs/${read._meta?.['bellhop/runId']}`)
      assert.deepEqual([run.trigger, run.status], ['mcp', 'succeeded'])
      assert.partialDeepStrictEqual(run.toolCalls, [{ tool: 'shop__get_order', input: { id: 'A-1' } }])

      const count = async () =>
        (await gate.app.get<{ items: unknown[] }>('/api/v1/runs?limit=100')).items.length
      const runs = await count()
      await assert.rejects(client.call('shop__nothing', {}), { code: -32602 })
      assert.equal(await count(), runs)
      const wrong = await client.call('shop__get_order', { id: 7 })
      assert.deepEqual([wrong.isError, gate.target.seen.length], [true, 1])
    },
  )
}

verifies(
  'mcp:served',
  'what an MCP server answers is handed on block by block, and a client that waits hears that the call goes on',
  async () => {
    const app = await sharedApp()
    const content = [
      { type: 'text', text: '{"celsius":21}' },
      { type: 'audio', data: 'UklGRg==', mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'docs://a', blob: 'AAEC', mimeType: 'application/x-a' } },
      { type: 'resource_link', uri: 'docs://b', name: 'b' },
    ]
    const result = { content, structuredContent: { celsius: 21 } }
    await using mcp = await startSmallMcp([{ name: 'sense', inputSchema: { type: 'object' } }], result)
    type Connector = { id: string; tools: { id: string; hash: string }[] }
    const body = { type: 'mcp', name: `Sensor ${crypto.randomUUID()}`, url: mcp.origin }
    const { id } = (await app.api<Connector>('POST', '/api/v1/connectors', body)).body
    await app.api('POST', `/api/v1/connectors/${id}/test`)
    const [tool] = (await app.get<Connector>(`/api/v1/connectors/${id}`)).tools
    const enabled = await app.api<{ modelName: string }>(
      'PATCH',
      `/api/v1/connectors/${id}/tools/${tool?.id}`,
      {
        state: 'enabled',
        capability: 'read',
        hash: tool?.hash,
      },
    )
    for (const mode of ['legacy', { pin: '2026-07-28' }] as const) {
      await using stack = new AsyncDisposableStack()
      const client = new ClientV2({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
      const requestInit = { headers: { authorization: `Bearer ${testApiKey}` } }
      await client.connect(new TransportV2(new URL('/mcp', app.url), { requestInit }))
      stack.defer(() => client.close())
      const heard: number[] = []
      const answer = await client.callTool(
        { name: enabled.body.modelName, arguments: {} },
        { onprogress: ({ progress }) => heard.push(progress) },
      )
      assert.deepEqual([answer.content, answer.structuredContent], [content, { celsius: 21 }])
      assert.deepEqual(heard, [0])
    }

    // Also if an admin approves it first.
    const writes = { capability: 'write', permission: 'approve' }
    const write = await app.api('PATCH', `/api/v1/connectors/${id}/tools/${tool?.id}`, writes)
    assert.equal(write.status, 200, write.text)
    await using client = await connect(2, app.url, { wait: 30 })
    const asked = client.call(enabled.body.modelName, {})
    const pending = async () =>
      (await app.get<{ items: { id: string }[] }>('/api/v1/approvals?status=pending')).items
    await until(async () => (await pending()).length === 1)
    await app.api('POST', `/api/v1/approvals/${(await pending())[0]?.id}/approve`)
    const { structuredContent, ...approved } = (await asked) as Result & { structuredContent?: unknown }
    assert.deepEqual([approved.content, structuredContent], [content, { celsius: 21 }])
    await app.api('DELETE', `/api/v1/connectors/${id}`)
  },
)

verifies(
  'mcp:served',
  'a tool whose schema does not say that it is an object hides no other tool from the official clients',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    const schemas = [
      {},
      { properties: { id: { type: 'string' } } },
      { type: ['object'] },
      { $ref: '#/$defs/order', $defs: { order: { type: 'object' } } },
      { anyOf: [{ required: ['id'] }, { required: ['name'] }] },
    ]
    const tools = schemas.map((inputSchema, at) => ({
      name: `odd_${at}`,
      description: 'Reads',
      method: 'GET',
      path: '/odd',
      capability: 'read',
      inputSchema,
    }))
    const path = `/api/v1/connectors/${gate.connectorId}`
    const saved = await gate.app.api('PATCH', path, { tools })
    assert.equal(saved.status, 200, saved.text)
    for (const version of [1, 2, '2026-07-28'] as const) {
      await using client = await connect(version, gate.app.url)
      assert.deepEqual(
        (await client.list()).map(({ inputSchema }) => inputSchema),
        schemas.map((schema) => ({ ...schema, type: 'object' })),
      )
    }
  },
)

verifies(
  ['mcp:served', 'models:exact-numbers'],
  'long numbers from an MCP client, and from a person who tries the tool, are sent as written',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    await using client = await connect(2, gate.app.url, { wait: 0 })
    for (const written of ['12345678901234567890', '1.0', '1e400', '-0.10']) {
      const asked = await client.call('shop__refund', { id: 'A-1', amount: rawNumber(written) })
      await gate.decide(asked._meta?.['bellhop/approvalId'] ?? '', 'approve')
      const run = `/api/v1/runs/${asked._meta?.['bellhop/runId']}`
      await until(async () => (await gate.app.get<{ status: string }>(run)).status === 'succeeded')
      assert.equal(gate.target.seen.at(-1)?.body, `{"amount":${written}}`)

      const connector = await gate.app.get<{ tools: { id: string; name: string }[] }>(
        `/api/v1/connectors/${gate.connectorId}`,
      )
      const tool = connector.tools.find(({ name }) => name === 'refund')
      const tried = await gate.app.api('POST', `/api/v1/tools/${tool?.id}/try`, {
        input: { id: 'A-2', amount: rawNumber(written) },
        confirm: true,
      })
      assert.equal(tried.status, 200, tried.text)
      assert.equal(gate.target.seen.at(-1)?.url, '/orders/A-2/refund')
      assert.equal(gate.target.seen.at(-1)?.body, `{"amount":${written}}`)
    }
  },
)

verifies(
  'mcp:served',
  'a write over /mcp answers with the result when it is approved in time, and with the link when it is not',
  async () => {
    await using gate = await startGateOn(await sharedApp(), (_request, response) => {
      const headers = { 'content-type': 'application/json', location: '/refunds/1' }
      response.writeHead(200, headers).end('{"ok":true}')
    })
    await using patient = await connect(2, gate.app.url, { wait: 30 })
    const asked = patient.call('shop__refund', { id: 'A-1', amount: 3 })
    const pending = () => gate.app.get<{ items: { id: string }[] }>('/api/v1/approvals?status=pending')
    await until(async () => (await pending()).items.length === 1)
    assert.equal(gate.target.seen.length, 0)
    await gate.decide((await pending()).items[0]?.id ?? '', 'approve')
    // The body, and the headers that lead further.
    assert.deepEqual(
      (await asked).content.map(({ text }) => text),
      ['{"ok":true}', 'Location: /refunds/1'],
    )
    assert.equal(gate.target.seen[0]?.url, '/orders/A-1/refund')

    await using hasty = await connect(1, gate.app.url, { wait: 0 })
    const late = await hasty.call('shop__refund', { id: 'A-2' })
    const [{ id } = { id: '' }] = (await pending()).items
    assert.ok(late.content[0]?.text?.includes(`${gate.app.url}/approvals/${id}`))
    // The same call again waits for the same approval.
    const again = await hasty.call('shop__refund', { id: 'A-2' })
    assert.equal(again._meta?.['bellhop/approvalId'], id)
    assert.equal((await pending()).items.length, 1)
    // A later approval is carried out, once.
    await gate.decide(id, 'approve')
    const run = `/api/v1/runs/${late._meta?.['bellhop/runId']}`
    await until(async () => (await gate.app.get<{ status: string }>(run)).status === 'succeeded')
    assert.deepEqual(
      gate.target.seen.map(({ url }) => url),
      ['/orders/A-1/refund', '/orders/A-2/refund'],
    )

    // What an approver made of the input is said after the answer.
    const corrected = patient.call('shop__refund', { id: 'A-9', amount: 80 })
    await until(async () => (await pending()).items.length === 1)
    const edited = (await pending()).items[0]?.id ?? ''
    const input = { id: 'A-9', amount: 50 }
    assert.equal((await gate.app.api('POST', `/api/v1/approvals/${edited}/edit`, { input })).status, 200)
    await gate.decide(edited, 'approve')
    assert.match(
      (await corrected).content.at(-1)?.text ?? '',
      /edited the input before it was sent: "\/amount" became 50\.$/,
    )

    const denied = patient.call('shop__refund', { id: 'A-3' })
    await until(async () => (await pending()).items.length === 1)
    await gate.decide((await pending()).items[0]?.id ?? '', 'deny', 'not today')
    const answer = await denied
    assert.equal(answer.isError, true)
    assert.match(answer.content[0]?.text ?? '', /denied.*not today/)
  },
)

verifies(
  ['mcp:served', 'runs:pause-agent'],
  'a call that is approved while the agent is paused is made when the agent goes on, and not before',
  async () => {
    await using gate = await startGateOn(await sharedApp())
    await using client = await connect(2, gate.app.url, { wait: 0 })
    const asked = await client.call('shop__refund', { id: 'A-1' })
    const runId = asked._meta?.['bellhop/runId'] ?? ''
    await gate.app.api('PATCH', '/api/v1/settings', { agent: { paused: true } })
    await gate.decide(asked._meta?.['bellhop/approvalId'] ?? '', 'approve')
    const standing = async () => {
      const { rows } = await sql`
        select status, lease_until is null as released from runs where id = ${runId}`.execute(
        gate.app.app.ctx.db,
      )
      return rows[0]
    }
    // The decision woke the run, which found the agent paused and was released again.
    await becomes(standing, { status: 'running', released: true })
    assert.equal(gate.target.seen.length, 0)
    await gate.app.api('PATCH', '/api/v1/settings', { agent: { paused: false } })
    await until(
      async () => (await gate.app.get<{ status: string }>(`/api/v1/runs/${runId}`)).status === 'succeeded',
    )
    assert.equal(gate.target.seen.length, 1)
  },
)

verifies(
  ['mcp:served', 'http:mute-500'],
  'a client that sends what cannot be stored or serialised gets an answer without internal details',
  async () => {
    await using gate = await startGate()
    const send = async (name: string, input: string) => {
      const answer = await fetch(`${gate.app.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${testApiKey}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":${JSON.stringify(name)},"arguments":${input}}}`,
      })
      return answer.text()
    }
    assert.match(await send('\0', '{}'), /Unknown tool/)
    const unknown = await send('shop__get_order'.repeat(60_000), '{}')
    assert.match(unknown, /Unknown tool: shop__get_order/)
    assert.ok(unknown.length < 1000, `${unknown.length} characters`)
    const deep = `{"id":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    assert.match(await send('shop__get_order', deep), /nested deeper than 500 levels/)
    const { ctx } = gate.app.app
    ctx.tools.list = () => Promise.reject(new Error('planted words of the database'))
    ctx.runs.serveCall = () => Promise.reject(new Error('planted words of the database'))
    const failed = await send('shop__get_order', '{}')
    assert.match(failed, /Bellhop failed to answer/)
    assert.doesNotMatch(failed, /planted/)
  },
)

verifies('mcp:served', 'only an API key opens /mcp, and what it may start depends on its role', async () => {
  await using gate = await startGateOn(await sharedApp())
  const initialize = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
  const without = await gate.app.api('POST', '/mcp', initialize, { key: null })
  assert.equal(without.status, 401)
  assert.equal((await gate.app.api('POST', '/mcp', initialize, { key: 'blh_wrong' })).status, 401)
  const { visitor } = await join(gate.app, 'admin')
  const headers = { cookie: visitor.cookie }
  const inBrowser = await gate.app.api<{ detail: string }>('POST', '/mcp', initialize, { key: null, headers })
  assert.equal(inBrowser.status, 400, inBrowser.text)
  assert.match(inBrowser.body.detail, /sign in with an API key/)
  assert.equal((await gate.app.api('GET', '/mcp')).status, 405)
  const from = async (origin: string) => {
    const headers = {
      origin,
      authorization: `Bearer ${testApiKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    const body = JSON.stringify(initialize)
    return (await fetch(new URL('/mcp', gate.app.url), { method: 'POST', headers, body })).status
  }
  assert.deepEqual(
    [await from('https://elsewhere.example'), await from('null'), await from('http://localhost:6274')],
    [403, 403, 200],
  )

  const made = await gate.app.api<{ key: string }>('POST', '/api/v1/api-keys', {
    name: 'editor',
    role: 'member',
  })
  await using member = await connect(2, gate.app.url, { key: made.body.key, wait: 0 })
  assert.equal((await member.call('shop__get_order', { id: 'A-1' })).isError, undefined)
  const destructive = await member.call('shop__delete_order', { id: 'A-1' })
  assert.equal(destructive.isError, true)
  assert.match(destructive.content[0]?.text ?? '', /Only an admin may start a destructive tool/)

  // The same call of somebody else is another question.
  await using admin = await connect(2, gate.app.url, { wait: 0 })
  const askedBy = async (who: typeof member) =>
    (await who.call('shop__refund', { id: 'A-1' }))._meta?.['bellhop/approvalId']
  const [ofMember, ofAdmin] = [await askedBy(member), await askedBy(admin)]
  assert.ok(ofMember && ofAdmin && ofMember !== ofAdmin)

  await gate.app.api('PATCH', '/api/v1/settings', { agent: { paused: true } })
  const paused = await member.call('shop__get_order', { id: 'A-1' })
  assert.deepEqual([paused.isError, gate.target.seen.length], [true, 1])
})

verifies(
  'mcp:served',
  'an answer that is JSON and no object, too deep or too large has no structured content',
  () => {
    const deep = `{"a":${'['.repeat(600)}${']'.repeat(600)}}`
    const large = `{"a":[${'1,'.repeat(30_000)}1]}`
    for (const body of ['12345678901234567890', '[1]', 'null', '"text"', deep, large]) {
      const answer = {
        ...failure('denied', ''),
        error: null,
        status: 200,
        contentType: 'application/json',
        body,
      }
      assert.equal(toCallResult(answer, 'run_1').structuredContent, undefined, body.slice(0, 20))
    }
  },
)
