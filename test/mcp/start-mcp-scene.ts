import assert from 'node:assert/strict'
import type { z } from 'zod'
import type { McpConnectorShape, mcpToolShape } from '../../src/connectors/mcp/contract.ts'
import { newId } from '../../src/shared/ids.ts'
import { callTool } from '../../src/tools/call-tool.ts'
import type { GateCall } from '../../src/tools/gate/gate-call.ts'
import { addPeople, admin } from '../support/start-gate.ts'
import { chooseModel, general, removeConnectors, resetSettings } from '../support/start-shop.ts'
import { startTestApp, type TestApp } from '../support/start-test-app.ts'

export type McpTool = z.output<typeof mcpToolShape>

type Server = { url: string; authValue?: string }
type Model = { env: Record<string, string> }
type Options = Parameters<typeof startTestApp>[0] & Server & { pair: string }

/** A whole Bellhop with one MCP server as its connector. */
export async function startMcpScene({ url, pair, authValue, ...options }: Options) {
  await using stack = new AsyncDisposableStack()
  const exceptions = [pair, options.env?.EGRESS_PRIVATE_EXCEPTIONS].filter(Boolean).join(',')
  const app = stack.use(
    await startTestApp({ ...options, env: { ...options.env, EGRESS_PRIVATE_EXCEPTIONS: exceptions } }),
  )
  const scene = await connect(app, { url, ...(authValue ? { authValue } : {}) })
  const opened = stack.move()
  return { ...scene, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** The same on an app that the tests of a file share, with a connector and a model of its own until the end of the test. */
export async function startMcpSceneOn(app: TestApp, server: Server, model?: Model) {
  await using stack = new AsyncDisposableStack()
  stack.defer(() => removeConnectors(app))
  if (model) {
    stack.defer(() => resetSettings(app))
    await chooseModel(app, model)
  }
  const scene = await connect(app, server)
  const opened = stack.move()
  return { ...scene, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

async function connect(app: TestApp, { url, authValue }: Server) {
  const created = await app.api<McpConnectorShape>('POST', '/api/v1/connectors', {
    type: 'mcp',
    name: 'Docs',
    url,
    timeoutMs: 60_000,
    ...(authValue ? { authValue } : {}),
  })
  assert.equal(created.status, 201, created.text)
  await addPeople(app.app.ctx.db)
  const path = `/api/v1/connectors/${created.body.id}`

  async function refresh(): Promise<McpConnectorShape> {
    const answer = await app.api<McpConnectorShape>('POST', `${path}/refresh`)
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  async function tool(name: string): Promise<McpTool> {
    const { tools } = await app.get<McpConnectorShape>(path)
    const found = tools.find((one) => one.name === name)
    assert.ok(found, `${name} is not among ${tools.map((one) => one.name)}`)
    return found
  }
  async function change(name: string, patch: Record<string, unknown>, key?: string) {
    const { id } = await tool(name)
    return await app.api<McpTool & { type?: string }>(
      'PATCH',
      `${path}/tools/${id}`,
      patch,
      key ? { key } : {},
    )
  }
  return {
    app,
    ctx: app.app.ctx,
    path,
    connectorId: created.body.id,
    read: () => app.get<McpConnectorShape>(path),
    test: async () => (await app.api<Record<string, unknown>>('POST', `${path}/test`)).body,
    refresh,
    tool,
    change,
    async enable(name: string, capability: 'read' | 'write' | 'destructive' = 'read', more = {}) {
      const answer = await change(name, { state: 'enabled', capability, ...more })
      assert.equal(answer.status, 200, answer.text)
    },
    call: (
      name: string,
      input: unknown = {},
      more: Partial<GateCall> = {},
      signal = new AbortController().signal,
    ) =>
      callTool(
        app.app.ctx,
        {
          callId: newId('toolCall'),
          runId: newId('run'),
          name,
          input,
          requester: admin,
          ceiling: null,
          connectorIds: null,
          readsAcross: 'all',
          conversation: [],
          alongside: [],
          limitedBy: null,
          channelId: general,
          threadId: null,
          ...more,
        },
        signal,
      ),
  }
}
