import assert from 'node:assert/strict'
import type { Channel } from '../../../src/chat/contract.ts'
import type { Workspace } from '../../../src/chat/workspaces/contract.ts'
import type { Script } from '../../support/model-script.ts'
import { startShop } from '../../support/start-shop.ts'
import { startStubAnthropic } from '../../support/stub-anthropic.ts'

type Stub = AsyncDisposable & { pair: string }

/** Bellhop with a shop, a scripted model and a workspace on a platform's stub. */
export async function startPlatformScene<T extends Stub>(
  start: () => Promise<T>,
  connection: (stub: T) => Record<string, unknown>,
  script: Script,
  env: Record<string, string> = {},
) {
  await using stack = new AsyncDisposableStack()
  const platform = stack.use(await start())
  const model = stack.use(await startStubAnthropic(script))
  const shop = stack.use(
    await startShop({ env: { ...model.env, ...env, EGRESS_PRIVATE_EXCEPTIONS: platform.pair } }),
  )
  async function connect(): Promise<Workspace> {
    const made = await shop.app.api<Workspace>('POST', '/api/v1/workspaces', connection(platform))
    assert.equal(made.status, 201, made.text)
    assert.equal(made.body.status, 'connected')
    return made.body
  }
  const workspace = await connect()
  const opened = stack.move()
  return {
    ...shop,
    platform,
    workspace,
    /** The same platform account, connected as another workspace. */
    connect,
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
    async channel(externalId: string): Promise<Channel> {
      const { items } = await shop.app.get<{ items: Channel[] }>('/api/v1/channels')
      const found = items.find((channel) => channel.externalId === externalId)
      assert.ok(found, `${externalId} is known`)
      return found
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
