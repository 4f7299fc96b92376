import assert from 'node:assert/strict'
import type { Channel } from '../../../src/chat/contract.ts'
import type { Workspace } from '../../../src/chat/workspaces/contract.ts'
import type { RunShape } from '../../../src/runs/contract.ts'
import type { Script } from '../../support/model-script.ts'
import { startShop, startShopOn } from '../../support/start-shop.ts'
import type { TestApp } from '../../support/start-test-app.ts'
import { startStubAnthropic } from '../../support/stub-anthropic.ts'
import { appToken } from './slack-lines.ts'
import { botToken, type Slack, signingSecret, signSlack, startSlack } from './start-slack.ts'

const quiet: Script = () => ({ text: 'At your service.' })

/** Bellhop with a shop, a scripted model and a connected Slack workspace. */
export async function startSlackScene(script: Script = quiet) {
  await using stack = new AsyncDisposableStack()
  const slack = stack.use(await startSlack())
  const model = stack.use(await startStubAnthropic(script))
  const shop = stack.use(await startShop({ env: { ...model.env, EGRESS_PRIVATE_EXCEPTIONS: slack.pair } }))
  const scene = await enter(slack, model, shop)
  const opened = stack.move()
  return { ...scene, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** The same on an app that the tests of a file share, with a workspace of its own until the end of the test. */
export async function startSlackSceneOn(app: TestApp, script: Script = quiet, connection?: 'socket') {
  await using stack = new AsyncDisposableStack()
  const slack = stack.use(await startSlack())
  const model = stack.use(await startStubAnthropic(script))
  const shop = stack.use(await startShopOn(app, { model }))
  const scene = await enter(slack, model, shop, connection)
  stack.defer(async () => void (await app.api('DELETE', `/api/v1/workspaces/${scene.workspace.id}`)))
  const opened = stack.move()
  return { ...scene, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

async function enter(
  slack: Slack,
  model: Awaited<ReturnType<typeof startStubAnthropic>>,
  shop: Awaited<ReturnType<typeof startShop>>,
  connection?: 'socket',
) {
  const workspace = await connectSlack(shop.app, slack, connection)
  const ops = await slack.channelId('ops')
  const { items } = await shop.app.get<{ items: Channel[] }>('/api/v1/channels?limit=100')
  const channel = items.find((one) => one.externalId === ops && one.workspace === workspace.id)
  assert.ok(channel, 'the channels of the workspace are known')
  const kim = await slack.userId('kim')
  slack.calls.length = 0

  return {
    ...shop,
    slack,
    model,
    workspace,
    channel: channel as Channel & { id: `chan_${string}` }, // ids of channels begin like this
    ops,
    kim,
    /** The runs in the channel of this workspace. */
    async runs() {
      const { items } = await shop.app.get<{ items: Pick<RunShape, 'channelId' | 'status'>[] }>(
        '/api/v1/runs?limit=100',
      )
      return items.filter(({ channelId }) => channelId === channel.id)
    },
    /** A request as Slack would send it; `headers` can spoil it. */
    async deliver(body: string, headers: Record<string, string> = signSlack(body)): Promise<Response> {
      return fetch(`${shop.app.url}/chat/slack/${workspace.id}`, {
        method: 'POST',
        headers: {
          'content-type': body.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded',
          ...headers,
        },
        body,
      })
    },
  }
}

export async function connectSlack(app: TestApp, slack: Slack, connection?: 'socket'): Promise<Workspace> {
  const answer = await app.api<Workspace>('POST', '/api/v1/workspaces', {
    platform: 'slack',
    botToken,
    ...(connection ? { connection, appToken } : { signingSecret }),
    apiUrl: `${slack.origin}/api/`,
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}
