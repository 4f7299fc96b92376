import assert from 'node:assert/strict'
import { verifies } from '../support/verifies.ts'
import { startEverything } from './start-everything.ts'
import { startMcpScene } from './start-mcp-scene.ts'
import { startStatelessServer } from './start-stateless-server.ts'

for (const [kind, transport] of [
  ['streamableHttp', 'streamable-http'],
  ['sse', 'sse'],
] as const) {
  verifies(
    ['mcp:transports', 'mcp:discovery', 'mcp:results-unchanged', 'mcp:annotations-are-hints'],
    `the official everything-server is tested, discovered and called over ${transport}`,
    async () => {
      await using server = await startEverything(kind)
      await using scene = await startMcpScene(server)
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
      assert.equal(typeof structured.structuredContent.temperature, 'number')
      const links = JSON.parse((await answerOf('docs__get-resource-links')).body)
      assert.equal(links.content[1].type, 'resource_link')
      const refused = await scene.call('docs__get-sum', { a: 'one', b: 2 })
      assert.equal(refused.kind === 'answered' && refused.answer.error?.code, 'invalid_input')

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
    await using scene = await startMcpScene(server)
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

for (const kind of ['streamableHttp', 'sse'] as const) {
  verifies(
    ['mcp:interrupted-write', 'mcp:results-unchanged'],
    `a server that was restarted between two calls is called again over a new session (${kind})`,
    async () => {
      await using server = await startEverything(kind)
      await using scene = await startMcpScene(server)
      await scene.refresh()
      await scene.enable('echo')
      await scene.enable('get-sum', 'write', { permission: 'auto' })
      assert.equal(await bodyOf('docs__echo', { message: 'one' }), 'Echo: one')
      await server.restart()
      assert.equal(await bodyOf('docs__echo', { message: 'two' }), 'Echo: two')
      await server.restart()
      // A write is sent only on a session that has just answered.
      assert.match(await bodyOf('docs__get-sum', { a: 1, b: 2 }), /3/)

      async function bodyOf(name: string, input: unknown): Promise<string> {
        const outcome = await scene.call(name, input)
        assert.equal(outcome.kind === 'answered' && outcome.answer.error, null, JSON.stringify(outcome))
        return outcome.kind === 'answered' ? outcome.answer.body : ''
      }
    },
  )
}
