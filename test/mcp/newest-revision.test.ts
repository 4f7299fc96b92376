import assert from 'node:assert/strict'
import { shareInFile } from '../support/share-in-file.ts'
import { startTarget } from '../support/start-target.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'
import { startMcpSceneOn } from './start-mcp-scene.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

const about = { capabilities: { tools: {} }, serverInfo: { name: 'newest', version: '1' } }
const tools = [
  { name: 'erase', description: 'Erases', inputSchema: { type: 'object' } },
  {
    name: 'where',
    description: 'Says where',
    inputSchema: {
      type: 'object',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        size: { type: 'integer', 'x-mcp-header': 'Size' },
      },
    },
  },
  {
    name: 'broken',
    description: 'Names no header',
    inputSchema: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'a b' } } },
  },
]
const question = {
  confirm: {
    method: 'elicitation/create',
    params: { message: 'Really erase?', requestedSchema: { type: 'object', properties: {} } },
  },
}

/** It answers the handshake of older revisions with its own revision, which has none. */
function startNewestServer() {
  return startTarget(({ method: verb, body, headers }, response) => {
    if (verb !== 'POST') return void response.writeHead(405).end()
    const { id, method, params } = JSON.parse(body) as {
      id?: number
      method: string
      params: { name?: string }
    }
    if (id === undefined) return void response.writeHead(202).end()
    const done = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
    const asks = {
      resultType: 'input_required',
      inputRequests: question,
      requestState: 'opaque-state-of-the-server',
    }
    const says = JSON.stringify([headers['mcp-param-region'], headers['mcp-param-size']])
    const result = {
      initialize: { ...about, protocolVersion: '2026-07-28' },
      'server/discover': { ...done, ...about, supportedVersions: ['2026-07-28'] },
      'tools/list': { ...done, tools },
      'tools/call':
        params.name === 'erase' ? asks : { resultType: 'complete', content: [{ type: 'text', text: says }] },
    }[method]
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        jsonrpc: '2.0',
        id,
        ...(result ? { result } : { error: { code: -32601, message: 'No' } }),
      }),
    )
  })
}

verifies(
  ['mcp:transports', 'mcp:input-needed', 'mcp:discovery'],
  'a server that answers the handshake with the newest revision is spoken to without one; what it asks a person is told, and inputs it wants as headers are sent as headers',
  async () => {
    await using server = await startNewestServer()
    await using scene = await startMcpSceneOn(await sharedApp(), { url: `${server.origin}/mcp` })
    const tested = await scene.test()
    assert.partialDeepStrictEqual(tested, {
      reachable: true,
      problem: null,
      server: { protocolVersion: '2026-07-28', tools: 2, refused: 1 },
    })
    await scene.enable('erase', 'write', { permission: 'auto' })
    await scene.enable('where')
    const asked = await scene.call('docs__erase')
    assert.ok(asked.kind === 'answered')
    assert.equal(asked.answer.error?.code, 'input_needed')
    assert.deepEqual(JSON.parse(asked.answer.body), { inputRequests: question })
    assert.equal((await scene.read()).health.lastError, null)
    const placed = await scene.call('docs__where', { region: ' Zürich', size: 7 })
    assert.ok(placed.kind === 'answered')
    const encoded = Buffer.from(' Zürich').toString('base64')
    assert.deepEqual(JSON.parse(placed.answer.body), [`=?base64?${encoded}?=`, '7'])
  },
)
