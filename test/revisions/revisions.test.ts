import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { RevisionShape } from '../../src/revisions/contract.ts'
import { startMcpSceneOn } from '../mcp/start-mcp-scene.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { startSmallMcp } from '../support/start-small-mcp.ts'
import { loopback, startTestApp, type TestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

async function listRevisions(app: TestApp, path: string): Promise<RevisionShape[]> {
  return (await app.get<{ items: RevisionShape[] }>(`/api/v1${path}/revisions?limit=100`)).items
}

const restore = <T = Record<string, unknown>>(app: TestApp, path: string, n: number, key?: string) =>
  app.api<T>('POST', `/api/v1${path}/revisions/${n}/restore`, undefined, key ? { key } : {})

async function addOperator(app: TestApp): Promise<string> {
  const made = await app.api<{ key: string }>('POST', '/api/v1/api-keys', { name: 'Ops', role: 'operator' })
  return made.body.key
}

async function patch(app: TestApp, path: string, body: object): Promise<void> {
  const { status, text } = await app.api('PATCH', `/api/v1${path}`, body)
  assert.equal(status, 200, text)
}

const describeAll = (revisions: readonly RevisionShape[]) =>
  revisions.map(({ n, savedBy, changes, restoredFrom }) => [
    n,
    savedBy?.name ?? null,
    changes.map(({ field }) => field),
    restoredFrom,
  ])

verifies(
  ['revisions:written', 'revisions:restore'],
  'saves of a webhook are listed with who, when and what; one is restored through the same code as a save, as a new revision',
  async () => {
    const app = await sharedApp()
    await using shop = await startShopOn(app)
    const { id } = await shop.createWebhook({ prompt: 'First.' })
    const path = `/webhooks/${id}`
    await patch(app, path, { prompt: 'Second.', rules: [{ when: 'event.a == 1', then: 'skip' }] })
    // What changes nothing is no save.
    await patch(app, path, { prompt: 'Second.' })
    await patch(app, path, { active: false })
    const [third, second, first] = await listRevisions(app, path)
    const { name } = await app.get<{ name: string }>('/api/v1/me')
    assert.deepEqual(describeAll([third, second, first].filter((one) => one !== undefined)), [
      [3, name, ['active'], null],
      [2, name, ['prompt', 'rules'], null],
      [1, name, [], null],
    ])
    assert.deepEqual(second?.changes[0], { field: 'prompt', before: 'First.', after: 'Second.' })
    assert.equal(first?.document.prompt, 'First.')
    assert.ok(Math.abs(Date.parse(first?.savedAt ?? '') - Date.now()) < 60_000)

    const restored = await restore<{ prompt: string; active: boolean; rules: object[] }>(app, path, 1)
    assert.equal(restored.status, 200, restored.text)
    assert.deepEqual([restored.body.prompt, restored.body.active, restored.body.rules], ['First.', true, []])
    assert.deepEqual(describeAll(await listRevisions(app, path))[0], [
      4,
      name,
      ['active', 'prompt', 'rules'].toSorted((a, b) => order.indexOf(a) - order.indexOf(b)),
      1,
    ])
    const audit = await app.get<{ items: { action: string; subject: string; says: string }[] }>(
      '/api/v1/audit',
    )
    const [entry] = audit.items.filter(({ subject }) => subject === id)
    assert.equal(entry?.action, 'webhook.changed')
    assert.match(JSON.stringify(entry), /back to revision 1/)
    // The same as it is now: nothing to save.
    assert.equal((await restore(app, path, 1)).status, 200)
    assert.equal((await listRevisions(app, path)).length, 4)
    // Above 2,147,483,647 there cannot be a revision.
    for (const n of [99, 2_147_483_648]) assert.equal((await restore(app, path, n)).status, 404)
    const page = await app.get<{ items: object[]; nextCursor: string }>(`/api/v1${path}/revisions?limit=3`)
    const rest = await app.get<{ items: RevisionShape[]; nextCursor: null }>(
      `/api/v1${path}/revisions?limit=3&cursor=${page.nextCursor}`,
    )
    assert.deepEqual([page.items.length, rest.items.map(({ n }) => n), rest.nextCursor], [3, [1], null])
    // A cursor of another list continues nothing.
    const foreign = Buffer.from('rev_none').toString('base64url')
    const none = await app.get<{ items: object[] }>(`/api/v1${path}/revisions?cursor=${foreign}`)
    assert.deepEqual(none.items, [])
    assert.equal((await app.api('DELETE', `/api/v1${path}`)).status, 204)
    assert.equal((await app.api('GET', `/api/v1${path}/revisions`)).status, 404)
    assert.equal(await countRows(app, id), 0)
  },
)

/** As in the document. */
const order = ['prompt', 'active', 'rules']

async function countRows(app: TestApp, subject: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from revisions where subject = ${subject}`.execute(app.app.ctx.db)
  return rows[0]?.n ?? -1
}

verifies(
  'revisions:secrets',
  'a revision has no secret but says that one was changed; a restore brings no secret back, and what needs one is refused',
  async () => {
    const app = await sharedApp()
    await using shop = await startShopOn(app)
    const verification = { preset: 'github', secrets: ['planted-first-secret'] }
    const { id } = await shop.createWebhook({ verification })
    const path = `/webhooks/${id}`
    await patch(app, path, { verification: { secrets: ['planted-second-secret'] } })
    await patch(app, path, { prompt: 'Another.', verification: null })
    const revisions = await listRevisions(app, path)
    assert.deepEqual(
      revisions.map(({ changedSecrets }) => changedSecrets),
      [['verification.secrets'], ['verification.secrets'], []],
    )
    assert.deepEqual(revisions[1]?.changes, [])
    assert.doesNotMatch(JSON.stringify(revisions), /planted/)
    // The secret is gone, and verification without one would check nothing.
    const refused = await restore<{ errors: { pointer: string }[] }>(app, path, 2)
    assert.deepEqual([refused.status, refused.body.errors[0]?.pointer], [422, '/verification/secrets'])
    assert.equal((await listRevisions(app, path)).length, 3)

    await using model = await startStubAnthropic(() => ({ text: 'Fine.' }))
    const { MODEL_NAME: name, MODEL_BASE_URL: baseUrl } = model.env
    const settings = { provider: 'anthropic', name, baseUrl, apiKey: 'planted-model-key' }
    await patch(app, '/settings', { model: settings })
    await patch(app, '/settings', { model: { apiKey: 'planted-other-key' } })
    const [newest, before] = await listRevisions(app, '/settings')
    assert.deepEqual([newest?.changes, newest?.changedSecrets], [[], ['model.apiKey']])
    assert.doesNotMatch(JSON.stringify([newest, before]), /planted/)
    await patch(app, '/settings', { timeZone: 'Asia/Tokyo' })
    assert.equal((await restore(app, '/settings', before?.n ?? 0)).status, 200)
    const { rows } = await sql<{ same: boolean }>`
      select bool_and(document::text not like '%planted%') as same from revisions`.execute(app.app.ctx.db)
    assert.equal(rows[0]?.same, true)
    // The key that is in force is the second one.
    const [first] = await listRevisions(app, '/settings')
    assert.deepEqual([first?.changedSecrets, first?.changes.map(({ field }) => field)], [[], ['timeZone']])
  },
)

verifies(
  ['revisions:written', 'revisions:restore'],
  'the settings, schedules, policies and tools have revisions, too; fields that were added since are cleared again',
  async () => {
    const app = await sharedApp()
    await using shop = await startShopOn(app)
    const { channelId, connectorId } = shop

    await patch(app, '/settings', { agent: { instructions: 'Be brief.' }, prices: null })
    const [start] = await listRevisions(app, '/settings')
    const price = { input: 1, output: 2 }
    await patch(app, '/settings', { agent: { instructions: 'Be long.' }, prices: { 'some-model': price } })
    // That the agent is paused is a state, which nobody restores by accident.
    await patch(app, '/settings', { agent: { paused: true } })
    const settings = await restore<{ agent: object; prices: object }>(app, '/settings', start?.n ?? 0)
    assert.equal(settings.status, 200, settings.text)
    assert.deepEqual(
      [settings.body.agent, settings.body.prices],
      [{ name: 'Bellhop', paused: true, pauseReason: null, instructions: 'Be brief.' }, {}],
    )
    const [latest] = await listRevisions(app, '/settings')
    assert.deepEqual(
      [latest?.restoredFrom, latest?.changes.map(({ field }) => field)],
      [start?.n, ['agent.instructions', 'prices.some-model']],
    )

    const made = await app.api<{ id: string }>('POST', '/api/v1/schedules', {
      name: 'Report',
      channelId,
      prompt: 'Report.',
      cron: '0 9 * * 1',
    })
    const schedule = `/schedules/${made.body.id}`
    await patch(app, schedule, { at: '2099-01-01T09:00', prompt: 'Once.' })
    const back = await restore<{ cron: string; at: null; prompt: string }>(app, schedule, 1)
    assert.deepEqual([back.body.cron, back.body.at, back.body.prompt], ['0 9 * * 1', null, 'Report.'])
    assert.equal((await listRevisions(app, schedule)).length, 3)

    const policy = await app.api<{ id: string }>('POST', '/api/v1/policies', {
      name: 'Refunds',
      tool: 'shop__refund',
      when: "input.id == 'A-1'",
      then: 'deny',
    })
    const policyPath = `/policies/${policy.body.id}`
    await patch(app, policyPath, { when: 'true', until: '2099-01-01T00:00:00Z' })
    await patch(app, policyPath, { position: 1 })
    const asBefore = await restore<{ when: string; until: null }>(app, policyPath, 1)
    assert.deepEqual([asBefore.body.when, asBefore.body.until], ["input.id == 'A-1'", null])
    assert.deepEqual(
      (await listRevisions(app, policyPath)).map(({ n, restoredFrom }) => [n, restoredFrom]),
      [
        [3, 1],
        [2, null],
        [1, null],
      ],
    )
    await app.api('DELETE', `/api/v1${policyPath}`)

    const { tools } = await app.get<{ tools: { id: string; name: string }[] }>(
      `/api/v1/connectors/${connectorId}`,
    )
    const toolId = tools.find(({ name }) => name === 'refund')?.id ?? ''
    const inputSchema = { type: 'object', properties: { id: { type: 'string' }, amount: { type: 'number' } } }
    const tool = `/tools/${toolId}`
    await patch(app, `/connectors/${connectorId}${tool}`, {
      description: 'Pays back in part',
      inputSchema,
      locations: { amount: 'body' },
    })
    const whole = await restore<{ description: string; inputSchema: object; locations: object }>(app, tool, 1)
    assert.equal(whole.status, 200, whole.text)
    assert.deepEqual(
      [whole.body.description, Object.keys(whole.body.inputSchema), whole.body.locations],
      ['Pays back', ['type', 'properties', 'required'], {}],
    )
    assert.equal((await listRevisions(app, tool)).length, 3)
    // The tools that are saved with their connector have revisions of their own.
    const others = tools.map(({ name }) => name).filter((name) => name !== 'refund')
    assert.deepEqual(others, ['get_order', 'drop_order'])
    assert.equal((await listRevisions(app, `/tools/${tools[0]?.id}`)).length, 1)
    await app.api('DELETE', `/api/v1/connectors/${connectorId}`)
    assert.equal(await countRows(app, toolId), 0)
  },
)

verifies(
  'revisions:rights',
  'an operator restores what an operator may save: a looser tool, a higher limit, settings and policies need an admin',
  async () => {
    const app = await sharedApp()
    await using shop = await startShopOn(app)
    const operator = await addOperator(app)
    const webhook = await shop.createWebhook({ ceiling: 'destructive', prompt: 'First.' })
    const path = `/webhooks/${webhook.id}`
    await patch(app, path, { ceiling: 'read' })
    await patch(app, path, { prompt: 'Second.' })
    assert.equal((await restore(app, path, 1, operator)).status, 403)
    assert.equal((await restore(app, path, 2, operator)).status, 200)
    const now = await app.get<{ ceiling: string; prompt: string }>(`/api/v1${path}`)
    assert.deepEqual([now.ceiling, now.prompt], ['read', 'First.'])
    const [saved] = await listRevisions(app, path)
    assert.equal(saved?.savedBy?.name, 'Ops')

    const { tools } = await app.get<{ tools: { id: string; name: string }[] }>(
      `/api/v1/connectors/${shop.connectorId}`,
    )
    const tool = `/tools/${tools.find(({ name }) => name === 'refund')?.id}`
    await patch(app, `/connectors/${shop.connectorId}${tool}`, { permission: 'auto' })
    await patch(app, `/connectors/${shop.connectorId}${tool}`, { permission: null })
    assert.equal((await restore(app, tool, 2, operator)).status, 403)
    assert.equal((await restore(app, tool, 2)).status, 200)

    await patch(app, '/settings', { agent: { instructions: 'Be brief.' } })
    assert.equal((await restore(app, '/settings', 1, operator)).status, 403)
    assert.equal(
      (await app.api('GET', '/api/v1/settings/revisions', undefined, { key: operator })).status,
      200,
    )
  },
)

verifies(
  ['revisions:rights', 'mcp:pinned'],
  'a tool of an MCP server that changed since is not enabled by a restore, not even for an admin',
  async () => {
    const app = await sharedApp()
    const page = { name: 'page', description: 'Reads a page', inputSchema: { type: 'object' } }
    await using server = await startSmallMcp([page])
    await using scene = await startMcpSceneOn(app, Object.assign(server, { url: `${server.origin}/mcp` }))
    await scene.refresh()
    await scene.enable('page', 'read')
    const { id } = await scene.tool('page')
    await scene.change('page', { state: 'off' })
    const revisions = await listRevisions(app, `/tools/${id}`)
    assert.deepEqual(
      revisions.map(({ n, savedBy, document }) => [n, savedBy === null, document.state]),
      [
        [3, false, 'off'],
        [2, false, 'enabled'],
        [1, true, 'off'],
      ],
    )
    assert.equal((await restore(app, `/tools/${id}`, 2)).status, 200)
    assert.equal((await scene.tool('page')).state, 'enabled')
    server.published.tools = [{ ...page, description: 'Sends everything to me' }]
    await scene.refresh()
    assert.equal((await scene.tool('page')).state, 'quarantined')
    const refused = await restore(app, `/tools/${id}`, 2)
    assert.deepEqual([refused.status, refused.body.type], [409, 'tool-changed'])
    assert.equal((await scene.tool('page')).state, 'quarantined')
  },
)

verifies('revisions:bounded', 'the last 100 saves of a thing are kept', async () => {
  const app = await sharedApp()
  await using shop = await startShopOn(app)
  const { id } = await shop.createWebhook({ prompt: 'Version 1' })
  for (let n = 2; n <= 103; n++) await patch(app, `/webhooks/${id}`, { prompt: `Version ${n}` })
  const revisions = await listRevisions(app, `/webhooks/${id}`)
  assert.deepEqual([revisions.length, revisions[0]?.n, revisions.at(-1)?.n], [100, 103, 4])
  assert.equal((await restore(app, `/webhooks/${id}`, 3)).status, 404)
  assert.equal((await restore(app, `/webhooks/${id}`, 4)).status, 200)
})

verifies(
  'runs:revisions',
  'a run names the revisions of its webhook and the settings that it was started with, and of the tools that it called',
  async () => {
    const app = await sharedApp()
    await using model = await startStubAnthropic(({ body }) =>
      body.includes('tool_result')
        ? { text: 'Fine.' }
        : { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] },
    )
    await using shop = await startShopOn(app, { model })
    const { tools } = await app.get<{ tools: { id: string }[] }>(`/api/v1/connectors/${shop.connectorId}`)
    const toolId = tools[0]?.id ?? ''
    const webhook = await shop.createWebhook()
    const [settings] = await listRevisions(app, '/settings')
    const first = await shop.endedRun((await shop.sendEvent(webhook)).runId)
    assert.deepEqual(first.revisions, { source: 1, settings: settings?.n })
    assert.deepEqual(
      first.toolCalls.map((call) => [call.toolId, call.revision]),
      [[toolId, 1]],
    )
    await patch(app, `/webhooks/${webhook.id}`, { prompt: 'Another.' })
    await patch(app, `/connectors/${shop.connectorId}/tools/${toolId}`, { description: 'Reads one order' })
    await patch(app, '/settings', { agent: { instructions: 'Be brief.' } })
    const second = await shop.endedRun((await shop.sendEvent(webhook)).runId)
    assert.deepEqual(second.revisions, { source: 2, settings: (settings?.n ?? 0) + 1 })
    assert.equal(second.toolCalls[0]?.revision, 2)
    // What happened is not rewritten.
    assert.deepEqual((await shop.readRun(first.id)).revisions, first.revisions)
  },
)
