import assert from 'node:assert/strict'
import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shareInFile } from '../../support/share-in-file.ts'
import { loopback, startTestApp } from '../../support/start-test-app.ts'
import { verifies } from '../../support/verifies.ts'
import { startMcpSceneOn } from '../start-mcp-scene.ts'
import { startBehindGateway, startHttpServer } from './start-real-server.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))
type Scene = Awaited<ReturnType<typeof startMcpSceneOn>>

/** Lists what the server has, enables some of it, and returns what a call of one says. */
async function tested(scene: Scene, least: number, names: string[]): Promise<void> {
  const { reachable, problem, server } = await scene.test()
  assert.deepEqual([reachable, problem], [true, null])
  assert.partialDeepStrictEqual(server, { refused: 0, transport: 'streamable-http' })
  assert.ok((await scene.read()).tools.length >= least)
  for (const name of names) await scene.enable(name)
}

async function say(scene: Scene, name: string, input: unknown) {
  const outcome = await scene.call(`docs__${name}`, input)
  assert.ok(outcome.kind === 'answered', outcome.kind)
  return outcome.answer
}

verifies(
  'mcp:real-servers',
  'the filesystem server behind a gateway: text is given once, bytes never as text',
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'bellhop-files-'))
    await writeFile(join(folder.path, 'note.txt'), 'Grüße')
    const png = Buffer.concat([
      Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      ),
      Buffer.alloc(4096, 65),
    ])
    await writeFile(join(folder.path, 'dot.png'), png)
    await using server = await startBehindGateway({
      file: '@modelcontextprotocol/server-filesystem/dist/index.js',
      args: [folder.path],
    })
    await using scene = await startMcpSceneOn(await sharedApp(), server)
    await tested(scene, 10, ['read_text_file', 'read_media_file', 'list_directory'])

    // The same words as text and as structured content: once.
    assert.equal((await say(scene, 'read_text_file', { path: join(folder.path, 'note.txt') })).body, 'Grüße')
    const picture = await say(scene, 'read_media_file', { path: join(folder.path, 'dot.png') })
    assert.equal(picture.images.length, 1)
    assert.ok(!picture.body.includes(png.toString('base64').slice(0, 200)), picture.body.slice(0, 500))
    const outside = await say(scene, 'read_text_file', { path: '/etc/passwd' })
    assert.equal(outside.error?.code, 'tool_error')
  },
)

verifies('mcp:real-servers', 'the memory server behind a gateway remembers what it was told', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bellhop-memory-'))
  await using server = await startBehindGateway({
    file: '@modelcontextprotocol/server-memory/dist/index.js',
    env: { MEMORY_FILE_PATH: join(folder.path, 'memory.jsonl') },
  })
  await using scene = await startMcpSceneOn(await sharedApp(), server)
  await tested(scene, 9, ['create_entities', 'search_nodes'])
  await say(scene, 'create_entities', {
    entities: [{ name: 'Bell', entityType: 'thing', observations: ['It is brass.'] }],
  })
  assert.match((await say(scene, 'search_nodes', { query: 'brass' })).body, /It is brass/)
})

verifies('mcp:real-servers', 'the sequential-thinking server behind a gateway takes a thought', async () => {
  await using server = await startBehindGateway({
    file: '@modelcontextprotocol/server-sequential-thinking/dist/index.js',
  })
  await using scene = await startMcpSceneOn(await sharedApp(), server)
  await tested(scene, 1, ['sequentialthinking'])
  const answer = await say(scene, 'sequentialthinking', {
    thought: 'Ring.',
    nextThoughtNeeded: false,
    thoughtNumber: 1,
    totalThoughts: 1,
  })
  assert.match(answer.body, /"thoughtNumber":\s*1/)
})

verifies(
  'mcp:real-servers',
  'the chart server at its own port: what it cannot do without a network is its own error',
  async () => {
    await using server = await startHttpServer({
      file: '@antv/mcp-server-chart/build/index.js',
      args: ['--transport', 'streamable', '--host', '127.0.0.1', '--port', '{port}'],
      env: { VIS_REQUEST_SERVER: 'http://127.0.0.1:9' },
    })
    await using scene = await startMcpSceneOn(await sharedApp(), server)
    await tested(scene, 20, ['generate_pie_chart'])
    const answer = await say(scene, 'generate_pie_chart', { data: [{ category: 'a', value: 1 }] })
    assert.equal(answer.error?.code, 'tool_error')
  },
)

verifies(
  'mcp:real-servers',
  'the Brave search server at its own port: a bad input is refused before it is sent',
  async () => {
    await using server = await startHttpServer({
      file: '@brave/brave-search-mcp-server/dist/index.js',
      args: ['--transport', 'http', '--host', '127.0.0.1', '--port', '{port}'],
      env: { BRAVE_API_KEY: 'planted-brave-key-0001' },
    })
    await using scene = await startMcpSceneOn(await sharedApp(), server)
    await tested(scene, 5, ['brave_web_search'])
    const answer = await say(scene, 'brave_web_search', { query: 7 })
    assert.equal(answer.error?.code, 'invalid_input')
  },
)
