import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/database.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { tokenOf } from '../support/token-of.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { createVisitor, join, newAddress, password } from './visitor.ts'

const sharedApp = shareInFile(startTestApp)

type Invited = { id: string; status: string; link: { url: string; expiresAt: string } }

verifies(
  'accounts:invitations',
  'an invitation works once, within seven days, and signs the person in',
  async () => {
    const app = await sharedApp()
    const admin = await join(app, 'admin')
    const email = newAddress('bo')
    const invited = await admin.visitor.send<Invited>('POST', '/users', {
      email,
      name: 'Bo',
      role: 'operator',
    })
    assert.equal(invited.status, 201)
    assert.equal(invited.body.status, 'invited')
    const days = (Date.parse(invited.body.link.expiresAt) - Date.now()) / 86_400_000
    assert.ok(days > 6.9 && days <= 7, `${days} days`)
    // Browsers do not send the fragment.
    assert.match(invited.body.link.url, /\/link#token=[\w-]{43}$/)
    const token = tokenOf(invited.body.link.url)

    const visitor = createVisitor(app)
    const facts = await visitor.send('POST', '/links/inspect', { token })
    assert.deepEqual(
      [facts.body.kind, facts.body.email, facts.body.role, facts.body.createdBy],
      ['invitation', email, 'operator', 'The admin'],
    )

    const answers = await Promise.all(
      [1, 2, 3].map(() => createVisitor(app).send('POST', '/links/accept', { token, password, name: 'Bob' })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 410, 410])
    const used = await visitor.send('POST', '/links/accept', { token, password })
    assert.equal(used.body.type, 'link-expired')
    assert.equal((await visitor.send('POST', '/links/inspect', { token })).status, 410)

    const cookie = answers
      .find(({ status }) => status === 200)
      ?.headers.get('set-cookie')
      ?.split(';')[0]
    const me = await createVisitor(app, cookie).send('GET', '/me')
    assert.deepEqual([me.body.name, me.body.role], ['Bob', 'operator'])
  },
)

verifies(
  'accounts:invitations',
  'an expired link, and the link of a disabled user, open nothing and say why; a disabled user gets none',
  async () => {
    const app = await sharedApp()
    const invite = (email: string) =>
      app.api<Invited>('POST', '/api/v1/users', { email, name: email, role: 'member' })
    const late = await invite('late@example.com')
    await sql`update one_time_links set expires_at = now() where kind = 'invitation'`.execute(app.app.ctx.db)
    const out = await invite('out@example.com')
    await app.api('PATCH', `/api/v1/users/${out.body.id}`, { disabled: true })
    const open = ({ body }: typeof out) =>
      createVisitor(app).send('POST', '/links/accept', { token: tokenOf(body.link.url), password })
    for (const [link, says] of [
      [late, /has expired.* Ask an admin for a new one/],
      [out, /account is disabled\. Ask an admin to enable it/],
    ] as const) {
      const refused = await open(link)
      assert.equal(refused.status, 410)
      assert.match(String(refused.body.detail), says)
    }
    const another = await app.api('POST', `/api/v1/users/${out.body.id}/reset-link`)
    assert.equal(another.status, 400)
    assert.match(String(another.body.detail), /out@example\.com is disabled.* Enable the account first/)
    await app.api('PATCH', `/api/v1/users/${out.body.id}`, { disabled: false })
    assert.equal((await open(out)).status, 200)
  },
)

verifies(
  'accounts:plain-names',
  'a name has one line and no characters that hide or turn around what stands beside it',
  async () => {
    const app = await sharedApp()
    const person = await join(app, 'member')
    const renamed = async (name: string) => (await person.visitor.send('PATCH', '/me', { name })).body.name
    assert.equal(await renamed('A\u200bda\u202e (admin)\n\u2066approved it'), 'Ada (admin) approved it')
    assert.equal(await renamed('نام\u200cها 👩\u200d🚒 ❤\ufe0f'), 'نام\u200cها 👩\u200d🚒 ❤\ufe0f')
    for (const name of [
      '\u200b',
      '\u202e\u2069',
      '\u00ad',
      '\u3164\u2800',
      '\u{e0041}',
      '\u200d\ufe0f',
      '\n\u0007',
    ]) {
      const refused = await app.api('POST', '/api/v1/api-keys', { name, role: 'member' })
      assert.equal(refused.status, 422, JSON.stringify(name))
    }
  },
)

verifies('accounts:invitations', 'an email address belongs to one user, however it is written', async () => {
  const app = await sharedApp()
  const bo = await join(app, 'member')
  const eve = await join(app, 'member')
  const email = bo.email.toUpperCase()
  const again = await app.api('POST', '/api/v1/users', { email, name: 'B', role: 'member' })
  assert.equal(again.status, 409)
  assert.equal(again.body.type, 'email-taken')
  const stolen = await app.api('PATCH', `/api/v1/users/${eve.id}`, { email: `M${bo.email.slice(1)}` })
  assert.equal(stolen.body.type, 'email-taken')
  assert.equal((await app.api('PATCH', `/api/v1/users/${bo.id}`, { email })).status, 200)
})

verifies(
  'accounts:one-name-per-person',
  'nobody is invited or renamed to a name that is taken, however it is written',
  async () => {
    const app = await sharedApp()
    const invite = (name: string) =>
      app.api<Invited & { type: string; errors: { pointer: string }[] }>('POST', '/api/v1/users', {
        email: newAddress('gil'),
        name,
        role: 'member',
      })
    const gil = await invite('Gil Oparin')
    assert.equal(gil.status, 201, gil.text)
    const eve = await join(app, 'member')
    const link = await invite('Somebody else')
    for (const name of [
      'Gil Oparin',
      'gil  oparin',
      'GILOPARIN',
      'Gil O\u200bparin',
      'G\u0456l \u041eparin',
      'Gi1 0parin',
      'Gil Oparin.',
      'Ｇｉｌ Oparin',
      'Gil Oparin 🦊',
    ]) {
      const token = tokenOf(link.body.link.url)
      for (const refused of [
        await invite(name),
        await eve.visitor.send<{ type: string; errors: { pointer: string }[] }>('PATCH', '/me', { name }),
        await app.api<Invited & { type: string; errors: { pointer: string }[] }>(
          'PATCH',
          `/api/v1/users/${eve.id}`,
          { name },
        ),
        await createVisitor(app).send<{ type: string; errors: { pointer: string }[] }>(
          'POST',
          '/links/accept',
          { token, password, name },
        ),
      ]) {
        assert.equal(refused.status, 409, `${name} ${refused.text}`)
        assert.deepEqual([refused.body.type, refused.body.errors[0]?.pointer], ['name-taken', '/name'])
      }
    }
    // Other names, and another spelling of one's own.
    for (const name of ['Gil Oparina', 'Gül Oparin', 'Γιώργος', 'राम', 'रम'])
      assert.equal((await invite(name)).status, 201, name)
    const own = await app.api('PATCH', `/api/v1/users/${gil.body.id}`, { name: 'GIL Oparin' })
    assert.equal(own.status, 200, own.text)
    const taken = await Promise.all([invite('Two At Once'), invite('two at once')])
    assert.deepEqual(taken.map(({ status }) => status).sort(), [201, 409])
  },
)

verifies(
  'accounts:password-reset',
  'a reset link lives a day, replaces the one before and ends all sessions',
  async () => {
    const app = await sharedApp()
    const bo = await join(app, 'member')
    const reset = () => app.api<Invited['link']>('POST', `/api/v1/users/${bo.id}/reset-link`)
    const first = await reset()
    const second = await reset()
    const hours = (Date.parse(second.body.expiresAt) - Date.now()) / 3_600_000
    assert.ok(hours > 23.9 && hours <= 24, `${hours} hours`)
    const accept = (url: string) =>
      createVisitor(app).send('POST', '/links/accept', {
        token: tokenOf(url),
        password: 'a brand new password',
      })

    assert.equal((await accept(first.body.url)).status, 410)
    assert.equal((await bo.visitor.send('GET', '/me')).status, 200, 'a link that nobody used changes nothing')
    assert.equal((await accept(second.body.url)).status, 200)

    assert.equal((await bo.visitor.send('GET', '/me')).status, 401)
    const old = await createVisitor(app).send('POST', '/session', { email: bo.email, password })
    assert.equal(old.status, 401)
  },
)

verifies(
  'accounts:password-reset',
  'a new password needs the current one and ends the other sessions',
  async () => {
    const app = await sharedApp()
    const { visitor: here, email } = await join(app, 'admin')
    const there = createVisitor(app)
    await there.send('POST', '/session', { email, password })
    const change = (currentPassword?: string) =>
      here.send('PATCH', '/me', {
        password: 'a brand new password',
        ...(currentPassword ? { currentPassword } : {}),
      })
    assert.equal((await change()).status, 422)
    assert.deepEqual((await change('not the right one')).body.errors, [
      { pointer: '/currentPassword', detail: 'is not your current password' },
    ])
    assert.equal((await there.send('GET', '/me')).status, 200)
    assert.equal((await change(password)).status, 200)
    assert.equal((await there.send('GET', '/me')).status, 401)
    assert.equal((await here.send('GET', '/me')).status, 200)
  },
)

verifies(
  'accounts:password-reset',
  'a sign-in with the old password while it is being changed, or while the user is being disabled, gets no session',
  async () => {
    const app = await sharedApp()
    const person = await join(app, 'member')
    const { db } = app.app.ctx
    for (const change of [
      sql`disabled_at = now()`,
      sql`disabled_at = null, password_hash = 'scrypt$other'`,
    ]) {
      const visitor = createVisitor(app)
      let answered = false
      const signIn = await db.transaction().execute(async (tx) => {
        await sql`update users set ${change} where id = ${person.id}`.execute(tx)
        const sent = visitor.send('POST', '/session', { email: person.email, password }).finally(() => {
          answered = true
        })
        // The sign-in has read the old row, and is about to write its session or has just done so.
        await until(async () => answered || (await isWaitingForLock(db)))
        return { sent }
      })
      const answer = await signIn.sent
      assert.equal(answer.status, 401, answer.text)
      await sql`update users set disabled_at = null where id = ${person.id}`.execute(db)
      assert.equal((await visitor.send('GET', '/me')).status, 401)
    }
  },
)

async function isWaitingForLock(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into sessions%'`.execute(
    db,
  )
  return rows.length > 0
}

verifies(
  'accounts:role-change-at-once',
  'a changed role and a disabled user count with the next request',
  async () => {
    const app = await sharedApp()
    const bo = await join(app, 'admin')
    await join(app, 'admin')
    const patch = (change: unknown) => app.api('PATCH', `/api/v1/users/${bo.id}`, change)
    assert.equal((await bo.visitor.send('GET', '/users')).status, 200)
    await patch({ role: 'member' })
    assert.equal((await bo.visitor.send('GET', '/users')).status, 403)
    await patch({ role: 'admin' })
    assert.equal((await bo.visitor.send('GET', '/users')).status, 200)
    assert.equal((await patch({ disabled: true })).body.status, 'disabled')
    assert.equal((await bo.visitor.send('GET', '/me')).status, 401)
    const credentials = { email: bo.email, password }
    assert.equal((await bo.visitor.send('POST', '/session', credentials)).body.type, 'sign-in-failed')
    await patch({ disabled: false })
    assert.equal((await bo.visitor.send('GET', '/me')).status, 401, 'the old session does not come back')
    assert.equal((await bo.visitor.send('POST', '/session', credentials)).status, 200)
  },
)

verifies('accounts:role-change-at-once', 'a removed user is signed out and deleted', async () => {
  const app = await sharedApp()
  const bo = await join(app, 'member')
  assert.equal((await app.api('DELETE', `/api/v1/users/${bo.id}`)).status, 204)
  assert.equal((await bo.visitor.send('GET', '/me')).status, 401)
  assert.equal((await app.api('GET', `/api/v1/users/${bo.id}`)).status, 404)
  assert.equal((await app.api('DELETE', `/api/v1/users/${bo.id}`)).status, 404)
})

verifies(
  'accounts:last-admin-stays',
  'if two admins remove each other at the same time, one remains, who cannot be removed, disabled or demoted',
  async () => {
    await using app = await startTestApp()
    await using other = await startTestApp({ databaseUrl: app.databaseUrl })
    const bo = await join(app, 'admin')
    const eve = await join(app, 'admin')
    const answers = await Promise.all([
      app.api('DELETE', `/api/v1/users/${bo.id}`),
      other.api('PATCH', `/api/v1/users/${eve.id}`, { role: 'member' }),
    ])
    assert.deepEqual(answers.map(({ body }) => body?.type ?? 'done').sort(), ['done', 'last-admin'].sort())

    const { id } = answers[0].status === 204 ? eve : bo
    // An invited admin who has not accepted cannot sign in, so does not count.
    await app.api('POST', '/api/v1/users', { email: newAddress('kim'), name: 'Kim', role: 'admin' })
    for (const answer of [
      await app.api('PATCH', `/api/v1/users/${id}`, { role: 'operator' }),
      await app.api('PATCH', `/api/v1/users/${id}`, { disabled: true }),
      await app.api('DELETE', `/api/v1/users/${id}`),
    ]) {
      assert.equal(answer.status, 409)
      assert.equal(answer.body.type, 'last-admin')
    }
    assert.equal((await app.api('PATCH', `/api/v1/users/${id}`, { name: 'Ada L.' })).status, 200)
  },
)

verifies(
  'api:lists',
  'pages of users never skip or repeat one, and a made-up cursor is refused',
  async () => {
    await using app = await startTestApp()
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await app.api('POST', '/api/v1/users', { email: `${name}@example.com`, name, role: 'member' })
    }
    type Page = { items: { name: string }[]; nextCursor: string | null }
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: Page = await app.get(`/api/v1/users?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      seen.push(...page.items.map(({ name }) => name))
      cursor = page.nextCursor
      // A new user does not shift the other pages.
      if (seen.length === 2) {
        await app.api('POST', '/api/v1/users', { email: 'f@example.com', name: 'f', role: 'member' })
      }
    }
    assert.deepEqual(seen.toSorted(), ['a', 'b', 'c', 'd', 'e'])
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'cursor=made-up', 'cursor=%25']) {
      const refused = await app.api<{ errors: unknown[] }>('GET', `/api/v1/users?${query}`)
      assert.equal(refused.status, 422, query)
      assert.equal(refused.body.errors.length, 1)
    }
  },
)
