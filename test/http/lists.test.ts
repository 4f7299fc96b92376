import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { shareInFile } from '../support/share-in-file.ts'
import { general, startShop } from '../support/start-shop.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

type Page = { items: Record<string, unknown>[]; nextCursor: string | null }

/** An app with two or more of everything that is listed: two runs wait for an admin, each with its card. */
const sharedFull = shareInFile(async () => {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(
    await startStubAnthropic([{ calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] }]),
  )
  const shop = stack.use(await startShop({ env: model.env }))
  const { app } = shop
  const make = async (path: string, body: unknown) => {
    const made = await app.api<{ id: string }>('POST', `/api/v1/${path}`, body)
    assert.equal(made.status, 201, made.text)
    return made.body.id
  }
  await make('connectors', { type: 'http', name: 'Store', baseUrl: shop.target.origin, tools: [] })
  await make('channels', { name: 'orders' })
  const slackId = await make('workspaces', { platform: 'slack' })
  for (const name of ['Bo', 'Eve']) {
    const userId = await make('users', { name, email: `${name}@example.com`, role: 'member' })
    for (const account of ['U1', 'U2']) {
      await app.api('PUT', `/api/v1/workspaces/${slackId}/identities/${name}-${account}`, { userId })
    }
  }
  for (const name of ['ci', 'cd']) await make('api-keys', { name, role: 'member' })
  const webhook = await shop.createWebhook()
  await shop.createWebhook()
  const rung = [await shop.sendEvent(webhook), await shop.sendEvent(webhook)]
  for (const { runId } of rung) await shop.runWhen(runId, ({ status }) => status === 'waiting')
  await until(async () => (await shop.messages()).length === 2)
  const policy = { tool: 'shop__refund', when: 'false', then: 'deny' }
  for (const name of ['First', 'Second', 'Third']) await make('policies', { name, ...policy })
  const opened = stack.move()
  return { ...shop, webhook, rung, slackId, [Symbol.asyncDispose]: () => opened.disposeAsync() }
})

const lists = [
  'connectors',
  'webhooks',
  'events',
  'runs',
  'approvals',
  'channels',
  `channels/${general}/messages`,
  'users',
  'api-keys',
  'workspaces',
  'policies',
  'audit',
]

verifies(
  'api:lists',
  'every list has items and nextCursor, takes a limit of 1 to 100, and has each row once, page by page',
  async () => {
    const full = await sharedFull()
    const { app } = full
    for (const list of [...lists, `workspaces/${full.slackId}/identities`]) {
      const whole = await app.get<Page>(`/api/v1/${list}?limit=100`)
      assert.deepEqual(Object.keys(whole).sort(), ['items', 'nextCursor'], list)
      assert.ok(whole.items.length >= 2 && whole.nextCursor === null, `${list}: ${whole.items.length}`)
      const paged: unknown[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page: Page = await app.get(`/api/v1/${list}?limit=1${cursor && `&cursor=${cursor}`}`)
        assert.equal(page.items.length, 1, list)
        paged.push(page.items[0]?.id)
        cursor = page.nextCursor
      }
      assert.deepEqual(
        paged,
        whole.items.map(({ id }) => id),
        list,
      )
      for (const wrong of ['limit=0', 'limit=101', 'limit=x', 'cursor=made-up']) {
        assert.equal((await app.api('GET', `/api/v1/${list}?${wrong}`)).status, 422, `${list}?${wrong}`)
      }
    }
    await sql`insert into audit_log (id, actor_kind, actor_id, actor_name, action)
      select 'aud_0-' || n, 'system', 'system', 'Bellhop', 'test.noted' from generate_series(1, 60) n`.execute(
      app.app.ctx.db,
    )
    const { items, nextCursor } = await app.get<Page>('/api/v1/audit')
    assert.deepEqual([items.length, nextCursor === null], [50, false], 'fifty unless asked otherwise')
  },
)

verifies(
  'api:lists',
  'the list of policies goes on in its place although the last policy of the page before was moved or deleted meanwhile',
  async () => {
    const { app } = await sharedFull()
    const policy = { tool: 'shop__refund', when: 'false', then: 'deny' }
    const made: string[] = []
    for (const name of ['Long', 'Longer', 'Longest', 'Last'])
      made.push(
        (await app.api<{ id: string }>('POST', '/api/v1/policies', { name: `${name} page`, ...policy })).body
          .id,
      )
    const page = (query: string) => app.get<Page>(`/api/v1/policies?q=page&${query}`)
    const { items, nextCursor } = await page('limit=2')
    assert.deepEqual(
      items.map(({ id }) => id),
      made.slice(0, 2),
    )
    assert.equal((await app.api('DELETE', `/api/v1/policies/${made[1]}`)).status, 204)
    const second = await page(`limit=1&cursor=${nextCursor}`)
    assert.equal(second.items[0]?.id, made[2])
    // Now it is the first of all.
    assert.equal((await app.api('PATCH', `/api/v1/policies/${made[2]}`, { position: 1 })).status, 200)
    const rest = await page(`cursor=${second.nextCursor}`)
    assert.deepEqual(
      rest.items.map(({ id }) => id),
      [made[0], made[3]],
    )
    for (const id of [made[0], made[2], made[3]]) await app.api('DELETE', `/api/v1/policies/${id}`)
    // A cursor of another list continues nothing.
    const foreign = Buffer.from('pol_none').toString('base64url')
    assert.deepEqual((await app.get<Page>(`/api/v1/policies?cursor=${foreign}`)).items, [])
  },
)

verifies(
  'api:filters',
  'events, runs and approvals are found by webhook, run and channel, and none of another one is among them',
  async () => {
    const full = await sharedFull()
    const { app, webhook, rung } = full
    const other = await full.createWebhook()
    const elsewhere = (await app.api<{ id: string }>('POST', '/api/v1/channels', { name: 'elsewhere' })).body
      .id
    const count = async (list: string, filter: string) =>
      (await app.get<Page>(`/api/v1/${list}?${filter}`)).items.length
    for (const list of ['events', 'runs', 'approvals']) {
      assert.equal(await count(list, `webhookId=${webhook.id}`), 2, list)
      assert.equal(await count(list, `webhookId=${other.id}`), 0, list)
      assert.equal(await count(list, `runId=${rung[0]?.runId}`), 1, list)
      assert.equal(await count(list, `channelId=${general}`), 2, list)
      assert.equal(await count(list, `channelId=${elsewhere}`), 0, list)
    }
  },
)

/** The names that are promised; more are welcome. */
const documented = {
  webhook:
    'id name channelId prompt active endpointUrl ceiling connectorIds verification exposeHeaders rateLimit allowSilence lastEventAt createdAt',
  event: 'id webhookId runId status receivedAt deliveryId sizeBytes',
  run: 'id trigger webhookId eventId channelId status reply error usage startedAt endedAt steps toolCalls',
  toolCall: 'id tool connectorId input decision request response error approvalId',
  approval: 'id status kind runId tool capability request digest requestedBy decidedBy decidedAt expiresAt',
  request: 'method url headers body',
  channel: 'id workspace name externalId',
  message: 'id channelId threadId author text runId createdAt',
}

verifies(
  'api:shapes',
  'webhook, event, run, approval, channel and message have the documented fields, alone and in their lists',
  async () => {
    const full = await sharedFull()
    const { app, webhook, rung } = full
    const [{ runId, eventId } = { runId: '', eventId: '' }] = rung
    const read = (path: string) => app.get<Record<string, unknown>>(`/api/v1/${path}`)
    const first = async (list: string) => (await app.get<Page>(`/api/v1/${list}`)).items[0] ?? {}
    const has = (shown: unknown, kind: keyof typeof documented, except: string[] = []) => {
      const names = Object.keys((shown ?? {}) as object) // whatever it is, its names are looked at
      const missing = documented[kind].split(' ').filter((name) => !names.includes(name))
      assert.deepEqual(missing, except, kind)
    }
    const run = await full.readRun(runId)
    const [approval, message] = [await first('approvals'), await first(`channels/${general}/messages`)]
    has(await read(`webhooks/${webhook.id}`), 'webhook')
    has(await read(`events/${eventId}`), 'event')
    has(run, 'run')
    has(run.toolCalls[0], 'toolCall')
    has(await read(`approvals/${String(approval.id)}`), 'approval')
    has(approval.request, 'request')
    has(await read(`channels/${general}`), 'channel')
    has(await read(`messages/${String(message.id)}`), 'message')
    assert.deepEqual(Object.keys(message.author as object).sort(), ['id', 'kind', 'name']) // as documented
    has(await first('webhooks'), 'webhook')
    has(await first('events'), 'event')
    has(await first('runs'), 'run', ['steps', 'toolCalls'])
    has(approval, 'approval')
    has(await first('channels'), 'channel')
    has(message, 'message')
  },
)

verifies(
  'api:lists',
  'a page of connectors with huge schemas is cut before it fills the memory, and the next ones have the rest',
  async () => {
    await using app = await startTestApp()
    const tool = {
      name: 'read',
      description: 'Reads.',
      method: 'GET',
      path: '/',
      capability: 'read',
      inputSchema: {},
    }
    const made: string[] = []
    for (const name of ['one', 'two', 'three']) {
      const body = { type: 'http', name, baseUrl: 'https://api.example.com', tools: [tool] }
      made.unshift((await app.api<{ id: string }>('POST', '/api/v1/connectors', body)).body.id)
    }
    await sql`update tools set input_schema = '{"description":"' || repeat('x', 12 * 1024 * 1024) || '"}'`.execute(
      app.app.ctx.db,
    )
    const pages: unknown[][] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Page = await app.get(`/api/v1/connectors?limit=100${cursor && `&cursor=${cursor}`}`)
      pages.push(page.items.map(({ id }) => id))
      cursor = page.nextCursor
    }
    assert.deepEqual(pages, [made.slice(0, 2), made.slice(2)])
    // One that is larger than a page still has one.
    await sql`update tools set input_schema = '{}'`.execute(app.app.ctx.db)
    await sql`update tools set description = repeat('x', 40 * 1024 * 1024) where connector_id = ${made[0]}`.execute(
      app.app.ctx.db,
    )
    assert.equal((await app.get<Page>('/api/v1/connectors')).items.length, 1)
  },
)
