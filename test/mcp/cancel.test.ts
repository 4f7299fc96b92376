import assert from 'node:assert/strict'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { startMcpScene } from './start-mcp-scene.ts'
import { startOddServer, textTool } from './start-odd-server.ts'

verifies(
  ['mcp:guarded', 'runs:cancel'],
  'a server is told that a call was cancelled, whether it has sessions or not',
  async () => {
    await using server = await startOddServer([textTool('look')])
    await using scene = await startMcpScene({ url: server.url, pair: server.pair })
    await scene.refresh()
    await scene.enable('look')
    server.own.trick = ({ message }) => message.method === 'tools/call'
    for (const sessionId of ['session-2', null]) {
      server.own.sessionId = sessionId
      server.calls.length = 0
      const cancelling = new AbortController()
      const answered = scene.call('docs__look', {}, {}, cancelling.signal)
      await until(() => server.calls.length === 1)
      const asked = server.calls[0]?.id
      cancelling.abort()
      await answered
      await until(() =>
        server.seen.some(({ body }) => {
          const { method, params } = JSON.parse(body || '{}')
          return method === 'notifications/cancelled' && params.requestId === asked
        }),
      )
      assert.ok(asked !== undefined)
      server.seen.length = 0
    }
  },
)
