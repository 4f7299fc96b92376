import assert from 'node:assert/strict'
import { publishChange } from '../../src/shared/changes.ts'
import { createKey, createVisitor, join } from '../accounts/visitor.ts'
import { type EventReader, readEvents } from '../chat/support/read-events.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { general, startShop } from '../support/start-shop.ts'
import { startTestApp, type TestApp, testApiKey } from '../support/start-test-app.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { tokenOf } from '../support/token-of.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(startTestApp)

const follow = (app: TestApp, key: string = testApiKey) =>
  readEvents(`${app.url}/api/v1/stream`, { authorization: `Bearer ${key}` })

type Changed = Record<string, string[] | null>

/** The changes on the stream from now on, once it contains all expected ones. */
async function hear(events: EventReader, isAll: (heard: Changed) => boolean): Promise<Changed> {
  const heard: Changed = {}
  while (!isAll(heard)) {
    const { body } = await events.nextNamed('changed')
    for (const [kind, ids] of Object.entries(body as Changed)) {
      heard[kind] = ids === null || heard[kind] === null ? null : [...(heard[kind] ?? []), ...ids]
    }
  }
  return heard
}

verifies(
  'api:live-changes',
  'the stream names the run, the event and the approval that changed, to those who may see them',
  async () => {
    await using model = await startStubOpenai((_request, index) =>
      index === 0 ? { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] } : { text: 'Done.' },
    )
    await using shop = await startShop({ env: model.env })
    const webhook = await shop.createWebhook()
    await using admin = await follow(shop.app)
    await using member = await follow(shop.app, await createKey(shop.app, 'member'))

    const { runId, eventId } = await shop.sendEvent(webhook)
    // The number and order of events depends on timing.
    const hasAll = (heard: Changed) => 'runs' in heard && 'approvals' in heard
    const asked = await hear(admin, (heard) => hasAll(heard) && 'events' in heard)
    assert.ok(asked.runs === null || asked.runs?.includes(runId), JSON.stringify(asked))
    const [approval] = (await shop.app.get<{ items: { id: string }[] }>('/api/v1/approvals')).items
    assert.deepEqual(asked.approvals, [approval?.id])

    await shop.app.api('POST', `/api/v1/approvals/${approval?.id}/approve`)
    await hear(admin, (heard) => hasAll(heard) && (heard.events?.includes(eventId) ?? 'events' in heard))

    // Which runs are visible is decided by the lists, so a member learns only the kind.
    const seen = await hear(member, hasAll)
    assert.deepEqual(seen, { runs: null, approvals: null })
  },
)

verifies(
  'api:live-changes',
  'the stream reports that a run continues after its decision before the tool has answered',
  async () => {
    await using model = await startStubOpenai((_request, index) =>
      index === 0 ? { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] } : { text: 'Done.' },
    )
    const told = Promise.withResolvers<void>()
    await using shop = await startShop({
      env: model.env,
      answer: async (_request, response) => {
        await told.promise
        response.setHeader('content-type', 'application/json').end('{"ok":true}')
      },
    })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    const { toolCalls } = await shop.runWhen(runId, ({ status }) => status === 'waiting')
    await using events = await follow(shop.app)
    await shop.app.api('POST', `/api/v1/approvals/${toolCalls[0]?.approvalId}/approve`)
    const status = async () => (await shop.readRun(runId)).status
    // That it began to wait may be heard late.
    do await hear(events, ({ runs }) => runs?.includes(runId) ?? false)
    while ((await status()) === 'waiting')
    assert.equal(await status(), 'running')
    told.resolve()
    await shop.endedRun(runId)
  },
)

verifies(
  ['api:live-changes', 'accounts:password-reset'],
  'that a link was accepted is reported, so that the streams of sessions it ended are closed at once',
  async () => {
    const app = await sharedApp()
    const bo = await join(app, 'member')
    await using theirs = await readEvents(`${app.url}/api/v1/stream`, { cookie: bo.visitor.cookie })
    await using admin = await follow(app)
    /** Everything that was announced up to now: a new key is heard last. */
    const heardUntilNow = async () => {
      await app.api('POST', '/api/v1/api-keys', { name: 'Last', role: 'member' })
      return hear(admin, (heard) => 'api-keys' in heard)
    }
    const link = await app.api<{ url: string }>('POST', `/api/v1/users/${bo.id}/reset-link`)
    await heardUntilNow()

    const accepted = { token: tokenOf(link.body.url), password: 'another long password' }
    assert.equal((await createVisitor(app).send('POST', '/links/accept', accepted)).status, 200)

    assert.ok('users' in (await heardUntilNow()))
    assert.equal(await theirs.ended(), true)
  },
)

verifies('api:live-changes', 'changes by one process reach the streams of another', async () => {
  const one = await sharedApp()
  await using other = await startTestApp({ databaseUrl: one.databaseUrl })
  await using events = await follow(other)
  const made = await one.api<{ id: string }>('POST', '/api/v1/connectors', {
    type: 'http',
    name: 'Shop',
    baseUrl: 'https://shop.example.com',
    authType: 'none',
    tools: [],
  })
  assert.equal(made.status, 201, made.text)
  assert.deepEqual(await hear(events, (heard) => 'connectors' in heard), { connectors: null })
  await one.api('PATCH', `/api/v1/connectors/${made.body.id}`, { name: 'The shop' })
  assert.deepEqual(await hear(events, (heard) => 'connectors' in heard), { connectors: [made.body.id] })
})

verifies(
  'api:live-changes',
  'many changes are sent in one notification, and a rolled-back change is not sent',
  async () => {
    await using app = await startTestApp()
    const { db } = app.app.ctx
    await using events = await follow(app)
    await assert.rejects(
      db.transaction().execute(async (tx) => {
        await publishChange(tx, 'connectors', 'con_rolled_back')
        throw new Error('no')
      }),
      /no/,
    )
    await db.transaction().execute(async (tx) => {
      await publishChange(tx, 'approvals', 'apr_1')
      await publishChange(tx, 'approvals', 'apr_2')
      for (let n = 0; n < 500; n += 1) await publishChange(tx, 'runs', `run_${n}`)
    })
    const { body } = await events.nextNamed('changed')
    assert.deepEqual(body, { approvals: ['apr_1', 'apr_2'], runs: null })
  },
)

verifies(
  'api:live-changes',
  'the stream reports a channel that is created, renamed or given a list of connectors',
  async () => {
    const app = await sharedApp()
    await using events = await follow(app)
    const { body } = await app.api<{ id: string }>('POST', '/api/v1/channels', { name: 'orders' })
    const channelId = body.id
    assert.deepEqual((await events.nextNamed('channel.changed')).body, { channelId })
    for (const change of [{ name: 'all-orders' }, { connectorIds: [] }]) {
      await app.api('PATCH', `/api/v1/channels/${channelId}`, change)
      assert.deepEqual((await events.nextNamed('channel.changed')).body, { channelId })
    }
  },
)

verifies(
  'api:streams-bounded',
  'one reader can hold a limited number of streams, and a HEAD request holds none',
  async () => {
    const app = await sharedApp()
    const key = await createKey(app, 'member')
    const headers = { authorization: `Bearer ${key}` }
    for (let n = 0; n < 40; n++) {
      const { status } = await fetch(`${app.url}/api/v1/stream`, { method: 'HEAD', headers })
      assert.equal(status, 200)
    }
    const held: EventReader[] = []
    for (let n = 0; n < 16; n++) {
      held.push(await follow(app, key))
      held.push(await readEvents(`${app.url}/api/v1/channels/${general}/stream`, headers))
    }
    const refused = await app.api<{ type: string }>('GET', '/api/v1/stream', undefined, { key })
    assert.deepEqual([refused.status, refused.body.type], [429, 'too-many-requests'])
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    await using other = await follow(app)
    await app.api('POST', `/api/v1/channels/${general}/messages`, { text: 'hello' })
    assert.equal((await other.nextNamed('channel.changed')).body.channelId, general)
    assert.equal((await held[1]?.next())?.name, 'message.created')

    await held.pop()?.[Symbol.asyncDispose]()
    await until(async () => {
      const next = await follow(app, key).catch(() => null)
      if (next) held.push(next)
      return next !== null
    })
    for (const reader of held) await reader[Symbol.asyncDispose]()
  },
)

verifies(
  'api:live-changes',
  'the stream ends with the session, and carries less after a demotion',
  async () => {
    const app = await sharedApp()
    const other = (await app.api<{ id: string }>('POST', '/api/v1/channels', { name: 'other' })).body.id
    const leaving = await join(app, 'operator')
    const demoted = await join(app, 'operator')
    await using gone = await readEvents(`${app.url}/api/v1/stream`, { cookie: leaving.visitor.cookie })
    await using lesser = await readEvents(`${app.url}/api/v1/stream`, { cookie: demoted.visitor.cookie })
    const text = { text: 'hello' }

    await leaving.visitor.send('DELETE', '/session')
    assert.equal(await gone.ended(), true)

    await app.api('PATCH', `/api/v1/users/${demoted.id}`, { role: 'member' })
    // Once the change of role has arrived everywhere, so has what follows it.
    await using admin = await follow(app)
    await app.api('PATCH', `/api/v1/users/${demoted.id}`, { name: 'Dee' })
    await hear(admin, (heard) => 'users' in heard)
    await app.api('PATCH', '/api/v1/settings', { agent: { name: 'Hop' } })
    await hear(admin, (heard) => 'settings' in heard)
    await app.api('POST', `/api/v1/channels/${general}/messages`, text)
    // Of all users, somebody hears of themselves only.
    let heard = await lesser.next()
    for (; heard.name === 'changed'; heard = await lesser.next())
      assert.deepEqual(heard.body, { users: [demoted.id] })
    assert.equal(heard.name, 'channels.changed')
    assert.deepEqual((await admin.nextNamed('channel.changed')).body, { channelId: general })
    // Read marks are sent only to their owner.
    assert.equal((await demoted.visitor.send('PUT', `/channels/${general}/read`, {})).status, 204)
    await app.api('POST', `/api/v1/channels/${other}/messages`, text)
    assert.deepEqual((await admin.nextNamed('channel.changed')).body, { channelId: other })
  },
)
