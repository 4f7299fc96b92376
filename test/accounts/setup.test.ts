import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { startTestApp } from '../support/start-test-app.ts'
import { tokenOf } from '../support/token-of.ts'
import { verifies } from '../support/verifies.ts'
import { createVisitor, join, password, setUpAdmin } from './visitor.ts'

const ada = { email: 'ada@example.com', name: 'Ada', password }

verifies(
  'accounts:first-admin-link',
  'each start prints a link for the first admin, before it is ready, until there is one, also when an API key is set',
  async () => {
    const said: unknown[] = []
    await using first = await startTestApp({
      beforeReady: async ({ url, setupUrl }) =>
        void said.push([(await fetch(`${url}/readyz`)).status, setupUrl]),
    })
    assert.match(first.app.setupUrl ?? '', /\/setup#token=[\w-]{43}$/)
    assert.deepEqual(said, [[503, first.app.setupUrl]])
    assert.equal((await first.api('GET', '/readyz')).status, 200)
    assert.deepEqual((await createVisitor(first).send('GET', '/setup')).body, { needed: true, oidc: null })

    await using second = await startTestApp({ databaseUrl: first.databaseUrl })
    assert.notEqual(second.app.setupUrl, null)
    const created = await createVisitor(second).send('POST', '/setup', {
      token: tokenOf(first.app.setupUrl),
      ...ada,
    })
    assert.equal(created.status, 200, created.text)
    assert.equal(created.body.role, 'admin')

    await using third = await startTestApp({ databaseUrl: first.databaseUrl })
    assert.equal(third.app.setupUrl, null)
  },
)

verifies(
  ['accounts:first-admin-link', 'accounts:first-admin-once'],
  'the link signs the new admin in, and only its hash is stored; afterwards setup is gone, whatever token is sent',
  async () => {
    await using app = await startTestApp()
    const { rows } = await sql<{ all: string }>`
    select string_agg(one_time_links::text, ' ') as all from one_time_links`.execute(app.app.ctx.db)
    assert.ok(!rows[0]?.all.includes(tokenOf(app.app.setupUrl)))

    const admin = await setUpAdmin(app)

    const me = await admin.send('GET', '/me')
    assert.equal(me.body.email, 'ada@example.com')
    assert.equal(me.body.role, 'admin')

    for (const token of [tokenOf(app.app.setupUrl), 'x'.repeat(43)]) {
      const again = await createVisitor(app).send('POST', '/setup', { ...ada, token })
      assert.equal(again.status, 410)
      assert.equal(again.body.type, 'setup-done')
    }
    assert.deepEqual((await createVisitor(app).send('GET', '/setup')).body, { needed: false, oidc: null })
  },
)

verifies(
  'accounts:first-admin-once',
  'concurrent setups, with the links of two replicas, create exactly one admin; the others get 410',
  async () => {
    await using app = await startTestApp()
    await using other = await startTestApp({ databaseUrl: app.databaseUrl })

    const answers = await Promise.all(
      [app, other, app, other].map((at, index) =>
        createVisitor(at).send('POST', '/setup', {
          ...ada,
          token: tokenOf(at.app.setupUrl),
          email: `admin${index}@example.com`,
        }),
      ),
    )

    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 410, 410, 410])
    const users = await app.get<{ items: unknown[] }>('/api/v1/users')
    assert.equal(users.items.length, 1)
  },
)

verifies(
  ['accounts:first-admin-link', 'accounts:password-length'],
  'a wrong or expired token, a taken address and a password with eleven characters create nobody and use up no link',
  async () => {
    await using app = await startTestApp()
    const token = tokenOf(app.app.setupUrl)
    const setUp = (change: object) => createVisitor(app).send('POST', '/setup', { ...ada, token, ...change })
    const { body: wrong } = await setUp({ token: 'x'.repeat(43) })
    assert.equal(wrong.type, 'link-expired')

    const short = await setUp({ password: 'elevenchars' })
    assert.equal(short.status, 422)
    assert.deepEqual(short.body.errors, [{ pointer: '/password', detail: 'Use 12 characters or more.' }])

    await join(app, 'member', 'Ada@Example.com')
    assert.equal((await setUp({})).body.type, 'email-taken')

    const expireIn = (seconds: number) =>
      sql`update one_time_links set expires_at = now() + make_interval(secs => ${seconds})`.execute(
        app.app.ctx.db,
      )
    await expireIn(-1)
    const expired = await setUp({ email: 'eve@example.com' })
    assert.equal(expired.status, 410)
    assert.equal(expired.body.type, 'link-expired')
    assert.deepEqual((await createVisitor(app).send('GET', '/setup')).body, { needed: true, oidc: null })
    await expireIn(3600)
    assert.equal((await setUp({ email: 'eve@example.com' })).status, 200)
  },
)

verifies(
  'accounts:first-admin-from-environment',
  'ADMIN_EMAIL and ADMIN_PASSWORD make the admin instead of the link, and change nobody at later starts',
  async () => {
    const env = { ADMIN_EMAIL: 'ops@example.com', ADMIN_PASSWORD: 'environment password' }
    await using app = await startTestApp({ env })
    assert.equal(app.app.setupUrl, null)
    const signedIn = await createVisitor(app).send('POST', '/session', {
      email: 'OPS@example.com',
      password: 'environment password',
    })
    assert.equal(signedIn.body.role, 'admin')

    await using again = await startTestApp({
      databaseUrl: app.databaseUrl,
      env: { ADMIN_EMAIL: 'other@example.com', ADMIN_PASSWORD: 'another long password' },
    })
    const users = await again.get<{ items: { email: string }[] }>('/api/v1/users')
    assert.deepEqual(
      users.items.map(({ email }) => email),
      ['ops@example.com'],
    )
  },
)
