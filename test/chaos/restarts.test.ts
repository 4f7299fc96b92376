import assert from 'node:assert/strict'
import type { Channel, Message } from '../../src/chat/contract.ts'
import type { RunShape } from '../../src/runs/contract.ts'
import { botToken, signingSecret, startSlack } from '../chat/support/start-slack.ts'
import type { Turn } from '../support/model-script.ts'
import { prepareDataFolder } from '../support/prepare-data-folder.ts'
import { type Service, startService } from '../support/start-service.ts'
import { general, shopTools } from '../support/start-shop.ts'
import { startTarget } from '../support/start-target.ts'
import { testApiKey, testEncryptionKey } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const admin = { email: 'kim@example.com', password: 'correct horse battery' }

verifies(
  [
    'runs:journal',
    'runs:no-repeated-write',
    'approvals:survive-restart',
    'permissions:destructive-confirms',
    'house:leaves-first',
  ],
  'events go through the real process with a read, a write and a destructive call, and the process is killed in the middle of everything',
  async () => {
    await using database = await createTestDatabase()
    const thinking = Promise.withResolvers<void>()
    let hangs = true
    await using model = await startStubAnthropic(({ json, body }): Turn => {
      const turns = (json.messages as { role: string }[]).filter(({ role }) => role === 'assistant').length // Anthropic's wire format
      const [id = '', name] = /order-(asked|approved|thinks|accepted)/.exec(body) ?? []
      if (name === 'thinks' && turns === 1 && hangs) {
        hangs = false
        thinking.resolve()
        return { hang: true }
      }
      const tool = ['get_order', 'refund', 'drop_order'][turns]
      return tool ? { calls: [{ name: `shop__${tool}`, input: { id } }] } : { text: 'All done.' }
    })
    await using target = await startTarget((_request, response) => {
      response.setHeader('content-type', 'application/json').end('{"ok":true}')
    })
    const env = {
      ...model.env,
      ADMIN_EMAIL: admin.email,
      ADMIN_PASSWORD: admin.password,
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: testEncryptionKey,
      API_KEY: testApiKey,
      EGRESS_PRIVATE_EXCEPTIONS: target.pair,
    }
    let service = await startService(env)
    await using _last = { [Symbol.asyncDispose]: async () => void (await service.stop()) }
    const cookie = await signIn(service)
    const restart = async () => {
      await service.stop('SIGKILL')
      service = await startService(env)
    }

    await service.api('POST', '/connectors', {
      type: 'http',
      name: 'Shop',
      baseUrl: target.origin,
      authType: 'none',
      tools: shopTools,
    })
    const webhook = await service.api<{ endpointUrl: string }>('POST', '/webhooks', {
      name: 'Orders',
      channelId: general,
      prompt: 'Do all of it.',
      ceiling: 'destructive',
      concurrency: 8,
    })
    const path = new URL(webhook.endpointUrl).pathname
    /** An event for an order of this name, and its run. */
    const begin = async (name: string) => {
      const answer = await fetch(service.url + path, {
        method: 'POST',
        body: JSON.stringify({ id: `order-${name}` }),
        headers: { 'content-type': 'application/json' },
      })
      const { runId } = (await answer.json()) as { runId: string } // the contract of the ingress
      const read = () => service.api<RunShape>('GET', `/runs/${runId}`)
      /** The approval that a call of this tool waits for. */
      const waitingFor = async (tool: string) => {
        let approvalId: string | null | undefined
        await until(async () => {
          const { status, toolCalls } = await read()
          const open = toolCalls.find((one) => one.tool === tool && one.state === 'waiting')
          approvalId = open?.approvalId
          return open !== undefined && status === 'waiting'
        })
        return approvalId ?? ''
      }
      const approve = async () =>
        service.api('POST', `/approvals/${await waitingFor('shop__refund')}/approve`, {})
      const confirm = async () =>
        decideAsPerson(service, cookie, (await cardOf(service, await waitingFor('shop__drop_order'))).id)
      return { name, runId, read, waitingFor, approve, confirm }
    }

    const asked = await begin('asked')
    const approved = await begin('approved')
    const thinks = await begin('thinks')
    await Promise.all([asked, approved].map((run) => run.waitingFor('shop__refund')))
    await thinking.promise
    const accepted = await begin('accepted')
    await approved.approve()
    // One event is only accepted, the model thinks about another, an admin is asked about a write, and has just approved one.
    await restart()
    const runs = [asked, approved, thinks, accepted]
    await Promise.all([asked, thinks, accepted].map((run) => run.approve()))
    await Promise.all(runs.map((run) => run.waitingFor('shop__drop_order')))
    await approved.confirm()
    await thinks.confirm()
    // Two deletions stand in the channel to be confirmed, and two have just been.
    await restart()
    await asked.confirm()
    await accepted.confirm()

    for (const { name, runId, read } of runs) {
      await until(async () => (await read()).endedAt !== null)
      const run = await read()
      assert.deepEqual([name, run.status, run.reply?.text], [name, 'succeeded', 'All done.'])
      const sent = (method: string) =>
        target.seen.filter((request) => request.method === method && request.url.includes(`/order-${name}`))
          .length
      // A write in progress at a kill may have arrived or not; it was tried once.
      assert.ok(
        sent('POST') <= 1 && sent('DELETE') <= 1,
        `${name}: ${sent('POST')} writes, ${sent('DELETE')} deletions`,
      )
      for (const [tool, method] of [
        ['shop__refund', 'POST'],
        ['shop__drop_order', 'DELETE'],
      ] as const) {
        const made = run.toolCalls.find((one) => one.tool === tool)
        assert.ok(
          made?.error?.code === 'outcome_unknown' || sent(method) === 1,
          `${name}, ${tool}: ${made?.state}`,
        )
      }
      const { items } = await service.api<{ items: Message[] }>('GET', `/channels/${general}/messages`)
      assert.equal(items.filter((message) => message.runId === runId && message.card === null).length, 1)
    }

    const stopped = service.stop('SIGTERM')
    await until(async () => (await fetch(`${service.url}/readyz`)).status === 503)
    await service.api('GET', '/me')
    assert.equal(await stopped, 0)
  },
)

verifies(
  ['runs:outbox', 'chat:outbound-idempotent', 'house:unclean-end'],
  'a reply that was on its way to the platform when the process was killed is there once, soon after the next start',
  async () => {
    await using folder = await temporaryFolder()
    await using model = await startStubAnthropic(() => ({ text: 'All done.' }))
    await using slack = await startSlack()
    const env = {
      ...model.env,
      DATA_DIR: await prepareDataFolder(folder.path),
      API_KEY: testApiKey,
      EGRESS_PRIVATE_EXCEPTIONS: slack.pair,
    }
    let service = await startService(env)
    await using _last = { [Symbol.asyncDispose]: async () => void (await service.stop()) }
    await service.api('POST', '/workspaces', {
      platform: 'slack',
      botToken,
      signingSecret,
      apiUrl: `${slack.origin}/api/`,
    })
    const ops = await slack.channelId('ops')
    const { items } = await service.api<{ items: Channel[] }>('GET', '/channels?limit=100')
    const webhook = await service.api<{ endpointUrl: string }>('POST', '/webhooks', {
      name: 'Orders',
      channelId: items.find(({ externalId }) => externalId === ops)?.id,
      prompt: 'Do all of it.',
    })
    const posts = () => slack.callsOf('chat.postMessage').length
    slack.fault = ({ method }) => (method === 'chat.postMessage' && posts() === 1 ? 'hang' : null)

    await fetch(service.url + new URL(webhook.endpointUrl).pathname, {
      method: 'POST',
      body: '{"id":"A-1"}',
      headers: { 'content-type': 'application/json' },
    })
    await until(() => posts() === 1)
    await service.stop('SIGKILL')
    service = await startService(env)

    // Less than the lease: the new process knows that the old one is gone.
    await until(async () => (await slack.history(ops)).length === 1, 40_000)
    assert.equal(posts(), 2)
    assert.match(service.output(), /The last end was unclean: .* 1 run goes on\./)
  },
)

async function cardOf(service: Service, approvalId: string): Promise<Message> {
  let card: Message | undefined
  await until(async () => {
    const { items } = await service.api<{ items: Message[] }>('GET', `/channels/${general}/messages`)
    card = items.find((message) => message.approvalId === approvalId)
    return card !== undefined
  })
  assert.ok(card)
  return card
}

/** Returns the cookie. */
async function signIn(service: Service): Promise<string> {
  const signedIn = await fetch(`${service.url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: service.url },
    body: JSON.stringify(admin),
  })
  return signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
}

/** A destructive call is confirmed by a signed-in admin on the card, and by nobody else. */
async function decideAsPerson(service: Service, cookie: string, messageId: string): Promise<void> {
  const decided = await fetch(`${service.url}/api/v1/messages/${messageId}/decision`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: service.url, cookie },
    body: '{"decision":"approve"}',
  })
  assert.equal(decided.status, 200, await decided.text())
}
