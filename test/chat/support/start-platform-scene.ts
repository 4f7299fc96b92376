import assert from 'node:assert/strict'
import type { Channel } from '../../../src/chat/contract.ts'
import type { Workspace } from '../../../src/chat/workspaces/contract.ts'
import type { RunShape } from '../../../src/runs/contract.ts'
import type { Script } from '../../support/model-script.ts'
import { startShop, startShopOn } from '../../support/start-shop.ts'
import type { TestApp } from '../../support/start-test-app.ts'
import { startStubAnthropic } from '../../support/stub-anthropic.ts'

type Stub = AsyncDisposable & { pair: string }

type Connection<T> = (stub: T) => Record<string, unknown>

/** Bellhop with a shop, a scripted model and a workspace on a platform's stub. */
export async function startPlatformScene<T extends Stub>(
  start: () => Promise<T>,
  connection: Connection<T>,
  script: Script,
  env: Record<string, string> = {},
) {
  await using stack = new AsyncDisposableStack()
  const platform = stack.use(await start())
  const model = stack.use(await startStubAnthropic(script))
  const shop = stack.use(
    await startShop({ env: { ...model.env, ...env, EGRESS_PRIVATE_EXCEPTIONS: platform.pair } }),
  )
  const { disconnect, ...scene } = await enter(shop, platform, connection)
  const opened = stack.move()
  return { ...scene, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** The same on an app that the tests of a file share, with workspaces of its own until the end of the test. */
export async function startPlatformSceneOn<T extends Stub>(
  app: TestApp,
  start: () => Promise<T>,
  connection: Connection<T>,
  script: Script,
) {
  await using stack = new AsyncDisposableStack()
  const platform = stack.use(await start())
  const model = stack.use(await startStubAnthropic(script))
  const shop = stack.use(await startShopOn(app, { model }))
  const { disconnect, ...scene } = await enter(shop, platform, connection)
  stack.defer(disconnect)
  const opened = stack.move()
  return { ...scene, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

async function enter<T extends Stub>(
  shop: Awaited<ReturnType<typeof startShop>>,
  platform: T,
  connection: Connection<T>,
) {
  type Run = Pick<RunShape, 'id' | 'status' | 'endedAt'>
  const allRuns = async () => (await shop.app.get<{ items: Run[] }>('/api/v1/runs?limit=100')).items
  const earlier = new Set((await allRuns()).map(({ id }) => id))
  const connected: string[] = []
  async function connect(): Promise<Workspace> {
    const made = await shop.app.api<Workspace>('POST', '/api/v1/workspaces', connection(platform))
    assert.equal(made.status, 201, made.text)
    assert.equal(made.body.status, 'connected')
    connected.push(made.body.id)
    return made.body
  }
  const workspace = await connect()
  const channels = async () =>
    (await shop.app.get<{ items: Channel[] }>(`/api/v1/channels?workspaceId=${workspace.id}&limit=100`)).items
  return {
    ...shop,
    platform,
    workspace,
    /** The same platform account, connected as another workspace. */
    connect,
    async disconnect(): Promise<void> {
      for (const id of connected) await shop.app.api('DELETE', `/api/v1/workspaces/${id}`)
    },
    /** A request of the platform. */
    send: (body: string, headers: Record<string, string>, to = workspace): Promise<Response> =>
      fetch(to.eventsUrl ?? '', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      }),
    /** An admin links the account to a user. */
    async link(account: string, userId: string, { id } = workspace): Promise<void> {
      const path = `/api/v1/workspaces/${id}/identities/${encodeURIComponent(account)}`
      const linked = await shop.app.api('PUT', path, { userId })
      assert.equal(linked.status, 204, linked.text)
    },
    /** Those of the workspace. */
    channels,
    async channel(externalId: string): Promise<Channel> {
      const found = (await channels()).find((channel) => channel.externalId === externalId)
      assert.ok(found, `${externalId} is known`)
      return found
    },
    /** Since the scene began, the latest first. */
    async runs(): Promise<Run[]> {
      return (await allRuns()).filter(({ id }) => !earlier.has(id))
    },
  }
}
