import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { shareInFile } from '../support/share-in-file.ts'
import { startTestApp, testApiKey } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'
import { createKey, createVisitor, join } from './visitor.ts'

const sharedApp = shareInFile(startTestApp)

type Key = {
  id: string
  name: string
  role: string
  start: string
  key?: string
  makerGone: boolean
  lastUsedAt: string | null
}

verifies(
  'accounts:api-keys',
  'a key is shown once, stored as a hash, and shows when it was last used',
  async () => {
    const app = await sharedApp()
    const created = await app.api<Key>('POST', '/api/v1/api-keys', { name: 'CI', role: 'operator' })
    assert.equal(created.status, 201)
    const key = created.body.key ?? ''
    assert.match(key, /^blh_[\w-]{43}$/)
    assert.equal(created.body.lastUsedAt, null)

    assert.equal((await app.api('GET', '/api/v1/me', undefined, { key })).body.role, 'operator')

    const listed = await app.api<{ items: Key[] }>('GET', '/api/v1/api-keys')
    const found = listed.body.items.find(({ id }) => id === created.body.id)
    assert.ok(!listed.text.includes(key))
    assert.ok(key.startsWith(found?.start ?? '-') && found?.start.length === 8)
    assert.deepEqual(await app.get<Key>(`/api/v1/api-keys/${created.body.id}`), found)
    assert.ok(Math.abs(Date.now() - Date.parse(found?.lastUsedAt ?? '')) < 60_000)
    const { rows } = await sql<{ all: string }>`
    select string_agg(api_keys::text, ' ') || (select string_agg(audit_log::text, ' ') from audit_log) as all
    from api_keys`.execute(app.app.ctx.db)
    assert.ok(!rows[0]?.all.includes(key))
  },
)

verifies('accounts:api-keys', 'a changed role and a revocation count with the next request', async () => {
  const app = await sharedApp()
  const { body } = await app.api<Key>('POST', '/api/v1/api-keys', { name: 'CI', role: 'admin' })
  const use = () => app.api('GET', '/api/v1/users', undefined, { key: body.key ?? '' })
  assert.equal((await use()).status, 200)
  await app.api('PATCH', `/api/v1/api-keys/${body.id}`, { role: 'operator', name: 'Less' })
  assert.equal((await use()).status, 403)
  assert.equal((await app.api('DELETE', `/api/v1/api-keys/${body.id}`)).status, 204)
  const revoked = await use()
  assert.equal(revoked.status, 401)
  assert.match(String(revoked.body.detail), /^Unknown API key\..*Settings → API keys/)
  const without = await app.api('GET', '/api/v1/users', undefined, { key: null })
  assert.match(String(without.body.detail), /^Sign in, or send an API key/)
  for (const [method, change] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const) {
    assert.equal((await app.api(method, `/api/v1/api-keys/${body.id}`, change)).status, 404)
  }
})

verifies(
  'accounts:api-keys',
  'a key outlives its creator and says so; the answer to taking away somebody’s rights names the keys they created',
  async () => {
    const app = await sharedApp()
    await join(app, 'admin')
    const eve = await join(app, 'admin')
    const ci = (await eve.visitor.send<Key>('POST', '/api-keys', { name: 'CI', role: 'operator' })).body
    const nightly = await app.api<Key>('POST', '/api/v1/api-keys', { name: 'Nightly', role: 'admin' })
    const made = await app.api<Key>(
      'POST',
      '/api/v1/api-keys',
      { name: 'Made', role: 'member' },
      { key: nightly.body.key ?? '' },
    )
    const ours = [ci.id, nightly.body.id, made.body.id]
    const gone = async () =>
      (await app.get<{ items: Key[] }>('/api/v1/api-keys')).items.filter(
        (key) => key.makerGone && ours.includes(key.id),
      )
    const keysOfEve = async () => (await app.get<{ apiKeys: number }>(`/api/v1/users/${eve.id}`)).apiKeys
    const told = async (action: string) => {
      const { items } = await app.get<{ items: { detail: object }[] }>(`/api/v1/audit?action=${action}`)
      return items[0]?.detail
    }
    assert.deepEqual([await gone(), await keysOfEve()], [[], 1])

    for (const [change, isGone, changes] of [
      [{ role: 'operator' }, true, { role: ['admin', 'operator'] }],
      [{ role: 'admin' }, false, { role: ['operator', 'admin'] }],
      [{ disabled: true }, true, { status: ['active', 'disabled'] }],
    ] as const) {
      assert.equal((await app.api('PATCH', `/api/v1/users/${eve.id}`, change)).status, 200)
      assert.deepEqual(
        (await gone()).map(({ name }) => name),
        isGone ? ['CI'] : [],
      )
      assert.deepEqual(await told('user.changed'), { changes, ...(isGone && { apiKeysLeft: ['CI'] }) })
    }
    assert.equal((await app.api('GET', '/api/v1/me', undefined, { key: ci.key ?? '' })).status, 200)

    assert.equal((await app.api('DELETE', `/api/v1/users/${eve.id}`)).status, 204)
    assert.deepEqual(await told('user.deleted'), { name: 'The admin', apiKeysLeft: ['CI'] })
    await app.api('DELETE', `/api/v1/api-keys/${nightly.body.id}`)
    assert.deepEqual(
      (await gone()).map(({ id }) => id),
      [made.body.id, ci.id],
    )
    await app.api('DELETE', `/api/v1/api-keys/${ci.id}`)
    assert.equal((await gone()).length, 1)
  },
)

verifies('accounts:api-keys', 'a wrong key is refused, even with a valid cookie', async () => {
  const app = await sharedApp()
  const { visitor } = await join(app, 'admin')
  for (const authorization of ['Bearer blh_wrong', 'Bearer ', `Bearer ${testApiKey}x`, testApiKey]) {
    const refused = await visitor.send('GET', '/me', undefined, { authorization })
    assert.equal(refused.status, 401, authorization)
    assert.equal(refused.body.type, 'not-signed-in')
    assert.match(refused.headers.get('www-authenticate') ?? '', /^Bearer/)
  }
})

verifies('accounts:api-keys', 'a key has no password, second factor or sessions', async () => {
  const app = await sharedApp()
  const key = await createKey(app, 'member')
  const refused = await app.api('PATCH', '/api/v1/me', { name: 'Robot' }, { key })
  assert.equal(refused.status, 403)
  assert.deepEqual((await app.api('GET', '/api/v1/sessions', undefined, { key })).body, {
    items: [],
    nextCursor: null,
  })
})

verifies(
  'accounts:api-key-from-environment',
  'API_KEY is an admin key; the same at the next start is a no-op, and brings no revoked key back',
  async () => {
    await using app = await startTestApp()
    const [first] = (await app.get<{ items: Key[] }>('/api/v1/api-keys')).items
    assert.deepEqual([first?.name, first?.role, first?.start], ['API_KEY', 'admin', testApiKey.slice(0, 8)])
    await using again = await startTestApp({ databaseUrl: app.databaseUrl })
    const keys = (await again.get<{ items: Key[] }>('/api/v1/api-keys')).items
    assert.deepEqual(
      keys.map(({ id }) => id),
      [first?.id],
    )

    await app.api('DELETE', `/api/v1/api-keys/${first?.id}`)
    await using afterwards = await startTestApp({ databaseUrl: app.databaseUrl })
    assert.equal((await afterwards.api('GET', '/api/v1/me')).status, 401)
    assert.equal((await createVisitor(afterwards).send('GET', '/me')).status, 401)
  },
)

verifies(
  'accounts:api-key-from-environment',
  'another API_KEY at the next start replaces the former one, which may come back later',
  async () => {
    await using app = await startTestApp()
    // A creator may have any name.
    const maker = await app.api<Key>('POST', '/api/v1/api-keys', { name: 'environment', role: 'admin' })
    const ci = { name: 'CI', role: 'admin' }
    const made = await app.api<{ key: string }>('POST', '/api/v1/api-keys', ci, {
      key: maker.body.key ?? '',
    })
    // As `openssl rand -base64` writes keys.
    const other = 'blh_another+admin/key~of.the:test!suite=='
    const me = async (key: string) => (await app.api('GET', '/api/v1/me', undefined, { key })).status
    await using _rotated = await startTestApp({ databaseUrl: app.databaseUrl, env: { API_KEY: other } })
    assert.deepEqual([await me(testApiKey), await me(other), await me(made.body.key)], [401, 200, 200])
    await using _back = await startTestApp({ databaseUrl: app.databaseUrl })
    assert.deepEqual([await me(testApiKey), await me(other)], [200, 401])
  },
)
