import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { shareInFile } from '../support/share-in-file.ts'
import { general } from '../support/start-shop.ts'
import { startTestApp, type TestApp } from '../support/start-test-app.ts'
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
    assert.deepEqual(changed?.detail, { role: 'operator' })
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
      { fields: ['prompt'] },
      { fields: ['active'] },
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
