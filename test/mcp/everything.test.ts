import assert from 'node:assert/strict'
import { shareInFile } from '../support/share-in-file.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'
import { startEverything } from './start-everything.ts'
import { startMcpSceneOn } from './start-mcp-scene.ts'
import { startStatelessServer } from './start-stateless-server.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

for (const [kind, transport] of [
  ['streamableHttp', 'streamable-http'],
  ['sse', 'sse'],
] as const) {
  verifies(
    [
      'mcp:transports',
      'mcp:discovery',
      'mcp:results-unchanged',
      'mcp:annotations-are-hints',
      'mcp:interrupted-write',
    ],
    `the official everything-server is tested, discovered and called over ${transport}, also after restarts between two calls`,
    async () => {
      await using server = await startEverything(kind)
      await using scene = await startMcpSceneOn(await sharedApp(), server)
      const { server: about, ...test } = await scene.test()
      assert.deepEqual([test.reachable, test.problem], [true, null])
      assert.partialDeepStrictEqual(about, {
        name: 'mcp-servers/everything',
        protocolVersion: '2025-11-25',
        transport,
        refused: 0,
      })
      const { tools, health } = await scene.read()
      assert.ok(tools.length >= 10)
      assert.notEqual(health.lastContactAt, null)
      assert.deepEqual(new Set(tools.map(({ state }) => state)), new Set(['new']))
      assert.equal((await scene.tool('echo')).suggestedCapability, 'read')
      assert.equal((await scene.tool('gzip-file-as-resource')).suggestedCapability, 'write')
      assert.deepEqual(await scene.ctx.tools.list(), [])

      for (const name of [
        'echo',
        'get-tiny-image',
        'get-structured-content',
        'get-resource-links',
        'get-sum',
      ]) {
        await scene.enable(name)
      }
      const text = await answerOf('docs__echo', { message: 'Grüße\n“as is”' })
      assert.deepEqual([text.body, text.error], ['Echo: Grüße\n“as is”', null])
      const image = await answerOf('docs__get-tiny-image')
      assert.deepEqual(
        image.images.map(({ mediaType }) => mediaType),
        ['image/png'],
      )
      assert.equal(
        Buffer.from(image.images[0]?.base64 ?? '', 'base64')
          .subarray(1, 4)
          .toString(),
        'PNG',
      )
      const structured = JSON.parse(
        (await answerOf('docs__get-structured-content', { location: 'Chicago' })).body,
      )
      assert.equal(typeof structured.temperature, 'number')
      const links = JSON.parse((await answerOf('docs__get-resource-links')).body)
      assert.equal(links.content[1].type, 'resource_link')
      const refused = await scene.call('docs__get-sum', { a: 'one', b: 2 })
      assert.equal(refused.kind === 'answered' && refused.answer.error?.code, 'invalid_input')

      await server.restart()
      assert.equal((await answerOf('docs__echo', { message: 'two' })).body, 'Echo: two')
      await scene.enable('get-sum', 'write', { permission: 'auto' })
      await server.restart()
      // A write is sent only on a session that has just answered.
      assert.match((await answerOf('docs__get-sum', { a: 1, b: 2 })).body, /3/)

      async function answerOf(name: string, input: unknown = {}) {
        const outcome = await scene.call(name, input)
        if (outcome.kind !== 'answered') throw new Error('It waits.')
        return outcome.answer
      }
    },
  )
}

verifies(
  ['mcp:transports', 'mcp:discovery', 'mcp:results-unchanged'],
  'a server that knows only the revision without handshake and sessions is discovered and called',
  async () => {
    const tool = (name: string) => ({
      name,
      description: `Does ${name}`,
      inputSchema: { type: 'object' as const },
    })
    await using server = await startStatelessServer([tool('look'), tool('put')])
    await using scene = await startMcpSceneOn(await sharedApp(), server)
    const { server: about, ...test } = await scene.test()
    assert.deepEqual([test.reachable, test.problem], [true, null])
    assert.partialDeepStrictEqual(about, {
      name: 'stateless',
      protocolVersion: '2026-07-28',
      transport: 'streamable-http',
      tools: 2,
    })
    await scene.enable('look')
    await scene.enable('put', 'write', { permission: 'auto' })
    for (const name of ['look', 'put', 'look', 'put']) {
      const outcome = await scene.call(`docs__${name}`)
      assert.partialDeepStrictEqual(outcome, { kind: 'answered', answer: { body: `called ${name}` } })
    }
    assert.deepEqual(server.calls, ['look', 'put', 'look', 'put'])
  },
)
