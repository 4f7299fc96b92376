import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { auditSentence } from '../../src/shared/wording/audit-sentence.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { general, startShop } from '../support/start-shop.ts'
import { startTestApp, type TestApp } from '../support/start-test-app.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { verifies } from '../support/verifies.ts'
import { createVisitor, join, joinByLink, password, setUpAdmin } from './visitor.ts'

const sharedApp = shareInFile(startTestApp)

type Entry = {
  id: string
  at: string
  actor: { kind: string; id: string; name: string }
  action: string
  subject: string | null
  subjectName: string | null
  source: string | null
  detail: Record<string, unknown> | null
  sentence: string
}

async function read(app: TestApp, query = ''): Promise<Entry[]> {
  return (await app.get<{ items: Entry[] }>(`/api/v1/audit?${query}`)).items
}

verifies(
  'accounts:audit-log',
  'sign-ins, refused sign-ins, denials and changes are in the audit log',
  async () => {
    await using app = await startTestApp()
    await setUpAdmin(app)
    const bo = await joinByLink(app, 'member')
    await createVisitor(app).send('POST', '/session', { email: bo.email, password: 'wrong password' })
    await bo.visitor.send('GET', '/users')
    await app.api('PATCH', `/api/v1/users/${bo.id}`, { role: 'operator' })
    await bo.visitor.send('DELETE', '/session')

    const actions = (await read(app)).map(({ action }) => action).reverse()
    assert.deepEqual(actions, [
      'api-key.created',
      'user.created',
      'session.created',
      'user.invited',
      'user.joined',
      'session.created',
      'session.refused',
      'access.denied',
      'user.changed',
      'session.ended',
    ])
    const [refused] = await read(app, 'action=session.refused')
    assert.deepEqual([refused?.subject, refused?.source], [bo.id, '127.0.0.1'])
    assert.deepEqual(refused?.detail, { because: 'wrong password' })
    const [denied] = await read(app, 'action=access.denied')
    assert.equal(denied?.actor.id, bo.id)
    assert.deepEqual(denied?.detail, { method: 'GET', path: '/api/v1/users', needs: 'admin' })
    const [changed] = await read(app, 'action=user.changed')
    assert.deepEqual([changed?.actor.kind, changed?.subject], ['api-key', bo.id])
    assert.deepEqual(changed?.detail, { changes: { role: ['member', 'operator'] } })
  },
)

verifies(
  'accounts:audit-log',
  'a denial is in the audit log too if the route is allowed and only what was asked of it is not',
  async () => {
    const app = await sharedApp()
    const bo = await join(app, 'operator')
    const webhook = { name: 'Orders', channelId: general, prompt: 'Sum it up.', active: true }
    const { body } = await bo.visitor.send<{ id: string }>('POST', '/webhooks', webhook)
    const raised = await bo.visitor.send('PATCH', `/webhooks/${body.id}`, { ceiling: 'destructive' })
    assert.equal(raised.status, 403)
    const denied = await read(app, `action=access.denied&actorId=${bo.id}`)
    assert.deepEqual(
      denied.map(({ actor, subject, detail }) => [actor.id, subject, detail]),
      [
        [
          bo.id,
          body.id,
          {
            method: 'PATCH',
            path: '/api/v1/webhooks/{id}',
            because: 'Only an admin may set the ceiling to destructive.',
          },
        ],
      ],
    )
  },
)

verifies(
  'accounts:audit-log',
  'a change of a webhook is recorded with the fields that changed, not with all that were sent',
  async () => {
    const app = await sharedApp()
    const verification = { preset: 'github', secrets: ['a-long-enough-secret'] }
    const fields = { name: 'Orders', channelId: general, prompt: 'Sum it up.', active: true, verification }
    const { body } = await app.api<{ id: string }>('POST', '/api/v1/webhooks', fields)
    const change = (patch: object) => app.api('PATCH', `/api/v1/webhooks/${body.id}`, patch)
    await change(fields)
    await change({ ...fields, prompt: 'One line.', ceiling: 'write' })
    await change({ ...fields, prompt: 'One line.', active: false })
    await change({ verification: { secrets: ['another-long-secret'] } })
    const changes = await read(app, `action=webhook.changed&subject=${body.id}`)
    assert.deepEqual(changes.map(({ detail }) => detail).reverse(), [
      { fields: ['prompt'], changes: { prompt: ['Sum it up.', 'One line.'] } },
      { fields: ['active'], changes: { active: [true, false] } },
      { fields: ['verification'] },
    ])
  },
)

verifies('accounts:audit-log', 'it is filtered by kind, actor, subject and time, and paged', async () => {
  await using app = await startTestApp()
  const bo = await joinByLink(app, 'member')
  await app.api('PATCH', `/api/v1/users/${bo.id}`, { name: 'Bo' })
  assert.deepEqual(
    (await read(app, 'action=user')).map(({ action }) => action),
    ['user.changed', 'user.joined', 'user.invited'],
  )
  assert.equal((await read(app, `subject=${bo.id}`)).length, 3)
  assert.ok((await read(app, `actorId=${bo.id}`)).every(({ actor }) => actor.id === bo.id))
  assert.equal((await read(app, `actorId=${bo.id}`)).length, 2)
  const all = await read(app)
  const middle = encodeURIComponent(all[2]?.at ?? '')
  assert.deepEqual(
    [...(await read(app, `since=${middle}`)), ...(await read(app, `until=${middle}`))],
    all,
    'since includes the moment, until does not',
  )
  const page = await app.get<{ items: Entry[]; nextCursor: string }>('/api/v1/audit?limit=2')
  const rest = await read(app, `limit=100&cursor=${page.nextCursor}`)
  assert.deepEqual([...page.items, ...rest], all)
  assert.equal((await app.api('GET', '/api/v1/audit?since=yesterday')).status, 422)
  // Times that are valid in ISO 8601 and that PostgreSQL cannot parse.
  assert.deepEqual(await read(app, 'since=0000-01-01T00:00:00Z'), all)
  assert.deepEqual(await read(app, `until=${encodeURIComponent('9999-12-31T23:59:59+23:59')}`), all)
})

verifies(
  'accounts:audit-log',
  'the search covers the text that people read: what was done, to what, by whom',
  async () => {
    await using app = await startTestApp()
    const bo = await joinByLink(app, 'member')
    await app.api('POST', '/api/v1/api-keys', { name: 'Deploy script', role: 'member' })
    await app.api('PATCH', `/api/v1/users/${bo.id}`, { role: 'operator' })
    const find = async (q: string) =>
      (await read(app, `q=${encodeURIComponent(q)}`)).map(({ action }) => action)
    assert.deepEqual(await find('API key created: deploy'), ['api-key.created'])
    assert.deepEqual(await find('the MEMBER changed'), ['user.changed'])
    assert.deepEqual(await find('operator'), ['user.changed'], 'the facts are shown, too')
    assert.deepEqual(await find('changed nothing'), [], 'every word counts')
    assert.deepEqual(await find(' · '), await find(''))
    assert.deepEqual(await find('100%_'), [], 'no pattern, only words')
  },
)

verifies(
  'accounts:audit-log',
  'a log of any length is searched in steps: each page says how far back it searched, and the last one has searched everything',
  async () => {
    await using app = await startTestApp()
    await app.api('POST', '/api/v1/api-keys', { name: 'Needle', role: 'member' })
    await sql`
      insert into audit_log (id, actor_kind, actor_id, actor_name, action)
      select 'aud_ffffffff-' || lpad(n::text, 22, '0'), 'system', 'system', 'Bellhop', 'hay.moved'
      from generate_series(1, 30000) n`.execute(app.app.ctx.db)
    type Page = { items: Entry[]; nextCursor: string | null; searchedBackTo?: string }
    const first = await app.get<Page>('/api/v1/audit?q=needle')
    assert.deepEqual(first.items, [])
    assert.ok(!Number.isNaN(Date.parse(first.searchedBackTo ?? '')))
    const last = await app.get<Page>(`/api/v1/audit?q=needle&cursor=${first.nextCursor}`)
    assert.deepEqual(
      [last.items.map(({ action }) => action), last.nextCursor, last.searchedBackTo],
      [['api-key.created'], null, undefined],
    )
    const hay = await app.get<Page>('/api/v1/audit?q=hay&limit=2')
    const more = await app.get<Page>(`/api/v1/audit?q=hay&limit=2&cursor=${hay.nextCursor}`)
    assert.equal(new Set([...hay.items, ...more.items].map(({ id }) => id)).size, 4)
    assert.deepEqual((await app.get<Page>('/api/v1/audit?q=needle&action=api-key')).items.length, 1)
  },
)

verifies(
  'accounts:audit-log',
  'an account that does not exist leaves no trace of what was typed',
  async () => {
    const app = await sharedApp()
    await createVisitor(app).send('POST', '/session', { email: 'my-password-by-mistake', password })
    const [refused] = await read(app, 'action=session.refused')
    assert.deepEqual([refused?.subject, refused?.detail], [null, { because: 'unknown account' }])
    assert.ok(!JSON.stringify(await read(app)).includes('my-password'))
  },
)

verifies(
  'accounts:audit-log',
  'entries outlive the people and things they mention, and keep their names',
  async () => {
    const app = await sharedApp()
    const begun = new Date().toISOString()
    const bo = await joinByLink(app, 'member')
    const key = await app.api<{ id: string }>('POST', '/api/v1/api-keys', { name: 'CI', role: 'member' })
    await app.api('PATCH', `/api/v1/api-keys/${key.body.id}`, { role: 'operator' })
    await app.api('DELETE', `/api/v1/api-keys/${key.body.id}`)
    const webhook = await app.api<{ id: string }>('POST', '/api/v1/webhooks', {
      name: 'Orders',
      channelId: general,
      prompt: 'Say what happened.',
    })
    await app.api('DELETE', `/api/v1/webhooks/${webhook.body.id}`)
    const { body } = await bo.visitor.send<{ items: { id: string }[] }>('GET', '/sessions')
    await app.api('DELETE', `/api/v1/sessions/${body.items[0]?.id}`)
    await app.api('PATCH', `/api/v1/users/${bo.id}`, { role: 'operator' })
    await app.api('DELETE', `/api/v1/users/${bo.id}`)

    const [joined] = await read(app, `action=user.joined&actorId=${bo.id}`)
    assert.equal(joined?.actor.name, 'The member')
    const names = Object.groupBy(await read(app, `since=${begun}`), ({ action }) => action)
    for (const [action, name] of Object.entries({
      'api-key.changed': 'CI',
      'api-key.revoked': 'CI',
      'webhook.deleted': 'Orders',
      'session.revoked': 'The member',
      'user.changed': 'The member',
      'user.deleted': 'The member',
    })) {
      assert.deepEqual(
        names[action]?.map(({ subjectName }) => subjectName),
        [name],
        action,
      )
    }
  },
)

verifies('accounts:audit-sentences', 'facts that a sentence leaves out are words, not codes or JSON', () => {
  const entry = { actor: { name: 'Kim' }, subject: null, subjectName: 'Small refunds', request: null }
  const facts = (action: string, detail: object) =>
    auditSentence({ ...entry, action, detail: { ...detail } }).rest
  assert.deepEqual(facts('policy.created', { cap: { calls: 20, per: 'day', sum: null } }), [
    ['cap', 'calls 20, per day'],
  ])
  assert.deepEqual(facts('approval.approved', { via: 'card' }), [['via', 'card in the chat']])
  assert.deepEqual(facts('approval.approved', { via: 'api' }), [['via', 'dashboard or API']])
})

verifies(
  'accounts:audit-sentences',
  'each entry is a whole sentence, also those of actions that nobody wrote a sentence for',
  async () => {
    await using shop = await startShop({ env: {} })
    const { app } = shop
    const bo = await joinByLink(app, 'member')
    await app.api('PATCH', `/api/v1/users/${bo.id}`, { role: 'operator' })
    await createVisitor(app).send('POST', '/session', { email: bo.email, password: 'wrong password' })
    await app.api('PATCH', `/api/v1/users/${bo.id}`, { disabled: true })
    await app.api('PATCH', `/api/v1/connectors/${shop.connectorId}`, {
      baseUrl: `${shop.target.origin}/v2`,
      authValue: 'planted-other-token',
      timeoutMs: 5000,
    })
    const webhook = await shop.createWebhook()
    const prompt = 'One line. '.repeat(9)
    await app.api('PATCH', `/api/v1/webhooks/${webhook.id}`, { prompt, ceiling: 'read' })
    await app.api('PATCH', `/api/v1/webhooks/${webhook.id}`, { active: false, channelId: general })
    await app.api('PATCH', '/api/v1/settings', { limits: { stepsPerRun: 12 } })
    await app.api('POST', `/api/v1/webhooks/${webhook.id}/rotate`, { overlapSeconds: 3600 })
    await app.api('PATCH', '/api/v1/settings', { agent: { paused: true } })
    await sql`
      insert into audit_log (id, actor_kind, actor_id, actor_name, action, subject_name)
      values ('aud_ffffffff-0', 'system', 'system', 'Bellhop', 'hay_stack.moved', 'Barn')`.execute(
      app.app.ctx.db,
    )
    const said = (await read(app, 'limit=100')).map(({ sentence }) => sentence)
    for (const sentence of [
      'Bellhop moved the hay stack Barn',
      'API_KEY paused the agent',
      'API_KEY rotated the URL of the webhook Orders; the former URL works for another 1 hour',
      'API_KEY changed the webhook Orders: prompt; maximum permission: write → read',
      'API_KEY changed the webhook Orders: active: on → off',
      'API_KEY changed the limits settings: steps per run: 30 → 12',
      'A sign-in as The member was refused: wrong password',
      'API_KEY changed the user The member: role: member → operator',
      'API_KEY changed the user The member: status: active → disabled',
      `API_KEY changed the connector Shop: authentication secret; base URL: ${shop.target.origin} → ${shop.target.origin}/v2; timeout: none → 5 seconds`,
      'The member signed in',
      'The member accepted the invitation',
    ])
      assert.ok(said.includes(sentence), `${sentence}\n\n${said.join('\n')}`)
    const find = async (q: string) =>
      (await read(app, `q=${encodeURIComponent(q)}`)).map(({ sentence }) => sentence)
    assert.deepEqual(await find('MAXIMUM permission'), [
      'API_KEY changed the webhook Orders: prompt; maximum permission: write → read',
    ])
    assert.deepEqual(await find('steps per run'), [
      'API_KEY changed the limits settings: steps per run: 30 → 12',
    ])
    assert.deepEqual(await find('a sign-in was refused'), [
      'A sign-in as The member was refused: wrong password',
    ])
  },
)

verifies(
  'accounts:audit-sentences',
  'a decision names the tool and the request, as long as the request is kept',
  async () => {
    await using model = await startStubOpenai([
      { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] },
      { text: 'Done.' },
    ])
    await using shop = await startShop({ env: model.env })
    const { runId, eventId } = await shop.sendEvent(await shop.createWebhook())
    await shop.runWhen(runId, ({ status }) => status === 'waiting')
    const { items } = await shop.app.get<{ items: { id: string }[] }>('/api/v1/approvals')
    await shop.app.api('POST', `/api/v1/approvals/${items[0]?.id}/deny`, { reason: 'Not today' })
    await shop.endedRun(runId)
    const said = async () => (await read(shop.app, 'action=approval')).map(({ sentence }) => sentence)
    assert.deepEqual(await said(), ['API_KEY denied Shop · refund (POST /orders/A-1/refund): “Not today”'])
    await shop.app.api('DELETE', `/api/v1/events/${eventId}`)
    assert.deepEqual(await said(), ['API_KEY denied Shop · refund: “Not today”'])
  },
)

verifies(
  'accounts:audit-csv',
  'the log is downloaded as CSV with the filters of the list, whole, and no name becomes a formula',
  async () => {
    await using app = await startTestApp()
    for (const name of ['=1+1', 'A "quoted", name', 'Plain'])
      await app.api('POST', '/api/v1/api-keys', { name, role: 'member' })
    await sql`
      insert into audit_log (id, actor_kind, actor_id, actor_name, action)
      select 'aud_ffffffff-' || lpad(n::text, 22, '0'), 'system', 'system', 'Bellhop', 'hay.moved'
      from generate_series(1, 1200) n`.execute(app.app.ctx.db)
    const csv = async (query: string) => {
      const { status, text, headers } = await app.api('GET', `/api/v1/audit/csv?${query}`)
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/csv; charset=utf-8'])
      return text.trimEnd().split('\r\n')
    }
    assert.equal((await csv('action=hay')).length, 1201)
    const [head, ...rows] = await csv('action=api-key.created&limit=1')
    assert.equal(head, 'time,entry,who,who_id,action,object,object_id,from_address,details,id')
    assert.equal(rows.length, 4)
    assert.match(rows[0] ?? '', /,API_KEY created the API key Plain with the role member,/)
    assert.match(rows[1] ?? '', /,"A ""quoted"", name",/)
    assert.match(rows[2] ?? '', /,'=1\+1,/)
    assert.equal((await csv('q=plain')).length, 2)
    const member = await join(app, 'member')
    assert.equal((await member.visitor.send('GET', '/audit/csv')).status, 403)
    const filters = await app.get<{ actors: { name: string }[]; actions: string[] }>('/api/v1/audit/filters')
    assert.deepEqual(filters.actions, [...new Set(filters.actions)].toSorted())
    assert.ok(filters.actors.some(({ name }) => name === 'Bellhop') && filters.actions.includes('hay.moved'))
  },
)
