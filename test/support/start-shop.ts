import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { sql } from 'kysely'
import type { RunShape } from '../../src/runs/contract.ts'
import { makeJobsDue } from './make-jobs-due.ts'
import { type SeenRequest, startTarget } from './start-target.ts'
import { startTestApp, type TestApp } from './start-test-app.ts'
import { until } from './until.ts'

export const general = 'chan_00000000-0000-7000-8000-000000000001'

type ShopOptions = {
  answer?: (request: SeenRequest, response: ServerResponse) => void
  /** Instead of the shop's own tools. */
  tools?: Record<string, unknown>[]
}
type Options = Parameters<typeof startTestApp>[0] & ShopOptions

const orderInput = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
export const shopTools = [
  {
    name: 'get_order',
    description: 'Reads an order',
    method: 'GET',
    path: '/orders/{id}',
    capability: 'read',
    inputSchema: orderInput,
  },
  {
    name: 'refund',
    description: 'Pays back',
    method: 'POST',
    path: '/orders/{id}/refund',
    capability: 'write',
    inputSchema: orderInput,
  },
  {
    name: 'drop_order',
    description: 'Deletes',
    method: 'DELETE',
    path: '/orders/{id}',
    capability: 'destructive',
    inputSchema: orderInput,
  },
]

/** A whole app with a shop's API as its connector: the setup of most tests about runs. */
export async function startShop({ answer, tools, ...options }: Options = {}) {
  await using stack = new AsyncDisposableStack()
  const target = stack.use(await startTarget(answer))
  const exceptions = [target.pair, options.env?.EGRESS_PRIVATE_EXCEPTIONS].filter(Boolean).join(',')
  const app = stack.use(
    await startTestApp({ ...options, env: { ...options.env, EGRESS_PRIVATE_EXCEPTIONS: exceptions } }),
  )
  const connectorId = await connect(app, target, tools)
  return sceneWith({ app, target, connectorId, channelId: general }, stack.move())
}

/**
 * The same on an app that the tests of a file share: with a shop, a channel and a model of its own until the end of the test, which
 * returns all settings to their defaults.
 */
export async function startShopOn(
  app: TestApp,
  { answer, tools, model }: ShopOptions & { model?: { env: Record<string, string> } } = {},
) {
  await using stack = new AsyncDisposableStack()
  const target = stack.use(await startTarget(answer))
  stack.defer(() => removeConnectors(app))
  stack.defer(() => resetSettings(app))
  stack.defer(() => cancelRuns(app))
  const connectorId = await connect(app, target, tools)
  const channel = await app.api<{ id: string }>('POST', '/api/v1/channels', { name: crypto.randomUUID() })
  assert.equal(channel.status, 201, channel.text)
  if (model) await chooseModel(app, model)
  return sceneWith({ app, target, connectorId, channelId: channel.body.id }, stack.move())
}

async function connect(app: TestApp, target: Target, tools: Record<string, unknown>[] = shopTools) {
  const connector = await app.api<{ id: string }>('POST', '/api/v1/connectors', {
    type: 'http',
    name: 'Shop',
    baseUrl: target.origin,
    authType: 'bearer',
    authValue: 'planted-shop-token',
    tools,
  })
  assert.equal(connector.status, 201, connector.text)
  return connector.body.id
}

/** All that the test has created, so that the next one has only its own; what waits for an approval of theirs does so no longer. */
export async function removeConnectors(app: TestApp): Promise<void> {
  const { items } = await app.get<{ items: { id: string }[] }>('/api/v1/connectors?limit=100')
  for (const { id } of items) {
    const { status, text } = await app.api('DELETE', `/api/v1/connectors/${id}`)
    assert.equal(status, 204, text)
  }
}

/** A run that is not over would go on with the next test's model. */
async function cancelRuns(app: TestApp): Promise<void> {
  const { rows } = await sql<{ id: string }>`select id from runs where ended_at is null`.execute(
    app.app.ctx.db,
  )
  // One that ends at this moment is refused.
  for (const { id } of rows) await app.api('POST', `/api/v1/runs/${id}/cancel`)
}

export async function resetSettings(app: TestApp): Promise<void> {
  await changeSettings(app, {
    model: null,
    fallbackModel: null,
    agent: null,
    limits: null,
    retention: null,
    prices: null,
    timeZone: null,
  })
}

export async function chooseModel(
  app: TestApp,
  { env }: { env: Record<string, string> },
  as: 'model' | 'fallbackModel' = 'model',
): Promise<void> {
  await changeSettings(app, {
    [as]: {
      provider: env.MODEL_PROVIDER,
      name: env.MODEL_NAME,
      baseUrl: env.MODEL_BASE_URL,
      apiKey: env.MODEL_API_KEY,
    },
  })
}

async function changeSettings(app: TestApp, patch: Record<string, unknown>): Promise<void> {
  const changed = await app.api('PATCH', '/api/v1/settings', patch)
  assert.equal(changed.status, 200, changed.text)
}

type Target = Awaited<ReturnType<typeof startTarget>>
type Parts = { app: TestApp; target: Target; connectorId: string; channelId: string }

function sceneWith({ app, target, connectorId, channelId }: Parts, opened: AsyncDisposableStack) {
  return {
    ...sceneOf(app, channelId),
    target,
    connectorId,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

export type Webhook = { id: string; endpointUrl: string }
type Message = {
  id: string
  threadId: string | null
  author: { kind: string }
  text: string
  card: unknown
  runId: string | null
}

/** What tests about runs often do, over HTTP. */
export function sceneOf(app: TestApp, channelId: string = general) {
  return {
    app,
    channelId,
    async createWebhook(fields: Record<string, unknown> = {}): Promise<Webhook> {
      const made = await app.api<Webhook>('POST', '/api/v1/webhooks', {
        name: 'Orders',
        channelId,
        prompt: 'Look at the order and say what happened.',
        active: true,
        ...fields,
      })
      assert.equal(made.status, 201, made.text)
      return made.body
    },
    async sendEvent(
      webhook: Webhook,
      body: string | object = '{"event":"order.paid","id":"A-1"}',
    ): Promise<Receipt> {
      const response = await fetch(webhook.endpointUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
      assert.equal(response.status, 200)
      return (await response.json()) as Receipt // the answer of the ingress
    },
    readRun: (id: string) => app.get<RunShape>(`/api/v1/runs/${id}`),
    async runWhen(id: string, holds: (run: RunShape) => boolean, limitMs?: number): Promise<RunShape> {
      let run = await app.get<RunShape>(`/api/v1/runs/${id}`)
      try {
        await until(async () => {
          run = await app.get<RunShape>(`/api/v1/runs/${id}`)
          return holds(run)
        }, limitMs)
      } catch (cause) {
        throw new Error(`The run stayed like this: ${JSON.stringify({ ...run, system: null }, null, 1)}`, {
          cause,
        })
      }
      return run
    },
    async endedRun(id: string, limitMs?: number): Promise<RunShape> {
      // The answer of the API takes ten times as long, so it is asked for once.
      const ended = sql`select from runs where id = ${id} and ended_at is not null`
      const isOver = async () => (await ended.execute(app.app.ctx.db)).rows.length > 0
      await until(isOver, limitMs).catch(() => undefined)
      return await this.runWhen(id, ({ endedAt }) => endedAt !== null, limitMs)
    },
    /** The same, without the pauses between retries. */
    async endedRunWithoutPauses(id: string): Promise<RunShape> {
      await until(async () => {
        await makeJobsDue(app.app.ctx.db)
        return (await this.readRun(id)).endedAt !== null
      })
      return await this.readRun(id)
    },
    async messages(): Promise<Message[]> {
      return (await app.get<{ items: Message[] }>(`/api/v1/channels/${channelId}/messages?limit=100`)).items
    },
    /** Messages of runs, without cards and people's messages. */
    async replies(): Promise<Message[]> {
      return (await this.messages()).filter(
        ({ author, card, runId }) => author.kind !== 'user' && runId !== null && card === null,
      )
    },
  }
}

export type Receipt = { status: string; eventId: string; runId: string }
