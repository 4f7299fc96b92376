import assert from 'node:assert/strict'
import { namesOf, textsOf } from '../support/model-script.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { sceneOf } from '../support/start-shop.ts'
import { startSmallMcp } from '../support/start-small-mcp.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { verifies } from '../support/verifies.ts'
import { startEverything } from './start-everything.ts'
import { startMcpSceneOn } from './start-mcp-scene.ts'
import { startOddServer, textTool } from './start-odd-server.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

verifies(
  ['mcp:results-unchanged', 'mcp:nothing-callable-by-itself'],
  'a run started by a webhook reads with a tool of the everything-server and waits before a write',
  async () => {
    await using server = await startEverything('streamableHttp')
    await using model = await startStubAnthropic([
      { calls: [{ name: 'docs__echo', input: { message: 'order A-1' } }] },
      { calls: [{ name: 'docs__get-sum', input: { a: 19, b: 23 } }] },
      { text: 'It comes to 42.' },
    ])
    await using scene = await startMcpSceneOn(await sharedApp(), server, model)
    await scene.refresh()
    await scene.enable('echo')
    await scene.enable('get-sum', 'write')
    const stage = sceneOf(scene.app)
    const { runId } = await stage.sendEvent(await stage.createWebhook())

    const waiting = await stage.runWhen(runId, ({ status }) => status === 'waiting')
    assert.deepEqual(namesOf(model.requests[0]?.json.tools).slice(0, 2), ['docs__echo', 'docs__get-sum'])
    assert.ok(textsOf(model.requests[1]?.json.messages).some((text) => text.includes('Echo: order A-1')))
    const [read, write] = waiting.toolCalls
    assert.deepEqual([read?.state, read?.response?.body], ['answered', 'Echo: order A-1'])
    assert.match(write?.request?.body ?? '', /"name":"get-sum"/)

    await scene.app.api('POST', `/api/v1/approvals/${write?.approvalId}/approve`, {})
    const run = await stage.endedRun(runId)
    assert.deepEqual([run.status, run.reply?.text], ['succeeded', 'It comes to 42.'])
    assert.match(run.toolCalls[1]?.response?.body ?? '', /42/)
  },
)

verifies(
  ['mcp:list-changed-never-widens', 'mcp:pinned'],
  'a running run is offered no new tool, and cannot call one that was changed',
  async () => {
    await using server = await startOddServer([textTool('one'), textTool('two')])
    await using model = await startStubAnthropic([
      { calls: [{ name: 'docs__one', input: {} }] },
      {
        calls: [
          { name: 'docs__two', input: {} },
          { name: 'docs__extra', input: {} },
        ],
      },
      { text: 'Done.' },
    ])
    await using scene = await startMcpSceneOn(await sharedApp(), server, model)
    await scene.refresh()
    await scene.enable('one', 'write')
    await scene.enable('two')
    const stage = sceneOf(scene.app)
    const { runId } = await stage.sendEvent(await stage.createWebhook())
    const waiting = await stage.runWhen(runId, ({ status }) => status === 'waiting')
    server.own.tools = [textTool('one'), textTool('two', { description: 'worse' }), textTool('extra')]
    await scene.refresh()
    await scene.enable('extra')
    await scene.app.api('POST', `/api/v1/approvals/${waiting.toolCalls[0]?.approvalId}/deny`, {})
    const run = await stage.endedRun(runId)
    assert.equal(run.status, 'succeeded')
    const offered = model.requests.map(({ json }) => namesOf(json.tools))
    assert.ok(offered.every((names) => !names.includes('docs__extra')))
    assert.deepEqual(
      run.toolCalls.filter(({ tool }) => tool === 'docs__two').map(({ state }) => state),
      ['refused'],
    )
    assert.deepEqual(server.calls, [])
  },
)

verifies(
  ['models:exact-numbers', 'mcp:results-unchanged'],
  'an MCP server gets long numbers as the model wrote them',
  async () => {
    const input = '{"n":12345678901234567890,"far":1e400}'
    await using server = await startSmallMcp([
      {
        name: 'count',
        description: 'Counts',
        inputSchema: { type: 'object', properties: { far: {} }, required: ['n'] },
      },
    ])
    await using model = await startStubAnthropic([
      { calls: [{ name: 'docs__count', input }] },
      { text: 'Counted.' },
    ])
    await using scene = await startMcpSceneOn(await sharedApp(), { url: `${server.origin}/mcp` }, model)
    await scene.refresh()
    await scene.enable('count')
    const stage = sceneOf(scene.app)
    await stage.endedRun((await stage.sendEvent(await stage.createWebhook())).runId)
    const sent = server.seen.filter(({ body }) => body.includes('tools/call'))
    assert.deepEqual(
      sent.map(({ body }) => body.includes(`"arguments":${input}`)),
      [true],
    )
  },
)
