import assert from 'node:assert/strict'
import { shareInFile } from '../support/share-in-file.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'
import { startMcpSceneOn } from './start-mcp-scene.ts'
import { question, startNewestServer } from './start-newest-server.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

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
