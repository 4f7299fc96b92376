import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { hashPassword, verifyPassword } from '../../src/accounts/signing-in/password.ts'
import { sweepAccounts } from '../../src/accounts/sweep-accounts.ts'
import { createLog } from '../../src/platform/log.ts'
import { dumpDatabase } from '../support/dump-database.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startTestApp, type TestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'
import { createVisitor, join, joinByLink, password } from './visitor.ts'

const sharedApp = shareInFile(() => startTestApp({ env: { TRUSTED_PROXIES: '127.0.0.1' } }))

/** Somebody who is there, and what they sign in with. */
async function joinAdmin(app: TestApp) {
  const { id, email, visitor } = await join(app, 'admin')
  return { id, visitor, credentials: { email, password } }
}

verifies(
  'accounts:sign-in',
  'email and password give a cookie that scripts and other sites do not get',
  async () => {
    const app = await sharedApp()
    const { credentials } = await joinAdmin(app)
    const visitor = createVisitor(app)

    const answer = await visitor.send('POST', '/session', {
      ...credentials,
      email: ` ${credentials.email.toUpperCase()}`,
    })

    assert.equal(answer.status, 200)
    assert.match(
      answer.headers.get('set-cookie') ?? '',
      /^bellhop=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    assert.equal((await visitor.send('GET', '/me')).body.name, 'The admin')
  },
)

verifies(
  'accounts:sign-in-throttled',
  'only a bounded number of password checks wait at a time; further ones are told to retry, and later sign-ins work as before',
  async () => {
    // A hash that is quick to check; the queueing is the same.
    const quick = ['scrypt', 2, 1, 1, 'c2FsdA', 'a2V5'].join('$')
    const checks = await Promise.allSettled(Array.from({ length: 300 }, () => verifyPassword('x', quick)))
    const refused = checks.flatMap((check) => (check.status === 'rejected' ? [check.reason] : []))
    assert.equal(refused.length, 198)
    for (const { type, status } of refused) assert.deepEqual([type, status], ['too-many-requests', 429])
    assert.equal(await verifyPassword('right', await hashPassword('right')), true)
  },
)

verifies('accounts:sign-in', 'an unknown account and a wrong password get the same answer', async () => {
  const app = await sharedApp()
  const { credentials } = await joinAdmin(app)
  const wrong = await createVisitor(app).send('POST', '/session', {
    ...credentials,
    password: 'not this one',
  })
  const unknown = await createVisitor(app).send('POST', '/session', {
    ...credentials,
    email: 'x@example.com',
  })
  assert.equal(wrong.status, 401)
  assert.deepEqual({ ...unknown.body, instance: '' }, { ...wrong.body, instance: '' })
  assert.equal(wrong.body.type, 'sign-in-failed')
  assert.equal(wrong.headers.get('set-cookie'), null)
})

verifies(
  'accounts:host-cookie',
  'behind https the cookie has the __Host- prefix, and only that one counts',
  async () => {
    const app = await sharedApp()
    const { visitor: plain, credentials } = await joinAdmin(app)
    const { ctx } = app.app
    const { publicUrl } = ctx
    using _restored = { [Symbol.dispose]: () => void Object.assign(ctx, { publicUrl }) }
    ctx.publicUrl = 'https://bellhop.example.com'
    const visitor = createVisitor(app)
    const answer = await visitor.send('POST', '/session', credentials)
    assert.match(
      answer.headers.get('set-cookie') ?? '',
      /^__Host-bellhop=[\w-]{43}; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    assert.equal((await visitor.send('GET', '/me')).status, 200)
    assert.equal((await plain.send('GET', '/me')).status, 401)
    ctx.publicUrl = 'https://tools.example.com/bellhop'
    const below = await createVisitor(app).send('POST', '/session', credentials)
    assert.match(below.headers.get('set-cookie') ?? '', /^__Secure-bellhop=[\w-]{43}; .*Path=\/bellhop; /)
  },
)

verifies(
  'accounts:host-cookie',
  'a public address without https causes a warning, a loopback address does not',
  async () => {
    const lines: string[] = []
    const log = await createLog({
      level: 'warn',
      pretty: false,
      destination: { write: (line) => void lines.push(line) },
    })
    await using _local = await startTestApp({ log })
    assert.doesNotMatch(lines.join(), /plain http/)
    await using _public = await startTestApp({ log, env: { PUBLIC_URL: 'http://bellhop.example.com' } })
    assert.match(lines.join(), /Sign-in uses plain http/)
  },
)

verifies('accounts:password-hashing', 'passwords are stored as salted scrypt hashes', async () => {
  const app = await sharedApp()
  const [one, other] = [await joinByLink(app, 'admin'), await joinByLink(app, 'member')]
  const { rows } = await sql<{ passwordHash: string }>`
    select password_hash from users where id in (${one.id}, ${other.id})`.execute(app.app.ctx.db)
  assert.equal(rows.length, 2)
  for (const { passwordHash } of rows)
    assert.match(passwordHash, /^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
  assert.notEqual(rows[0]?.passwordHash, rows[1]?.passwordHash)
  const hash = await hashPassword('\u{1F511} caf\u00e9 of 12')
  assert.ok(await verifyPassword('\u{1F511} cafe\u0301 of 12', hash), 'typed on another keyboard')
  assert.ok(!(await verifyPassword('\u{1F511} cafe of 12', hash)))
})

verifies('accounts:session-tokens-not-stored-clear', 'no table holds the token of the cookie', async () => {
  const app = await sharedApp()
  const { visitor: admin } = await joinAdmin(app)
  const token = admin.cookie.split('=')[1] ?? ''
  assert.equal(token.length, 43)
  const cells = await dumpDatabase(app.app.ctx.store.database.pool)
  assert.ok(cells.some(({ table, text }) => table === 'sessions' && text.startsWith('ses_')))
  assert.deepEqual(
    cells.filter(({ text }) => text.includes(token)),
    [],
  )
})

verifies('accounts:sign-in', 'a session token planted before the sign-in is worthless after it', async () => {
  const app = await sharedApp()
  const { credentials } = await joinAdmin(app)
  const planted = createVisitor(app, 'bellhop=planted-by-somebody-else')
  await planted.send('POST', '/session', credentials)
  assert.equal((await planted.send('GET', '/me')).status, 200)
  const thief = createVisitor(app, 'bellhop=planted-by-somebody-else')
  assert.equal((await thief.send('GET', '/me')).status, 401)

  const former = createVisitor(app, planted.cookie)
  await planted.send('POST', '/session', credentials)
  assert.equal((await former.send('GET', '/me')).status, 401, 'the session before ended')
})

verifies(
  'accounts:sessions-listed-and-revoked',
  'a revoked session stops working with the next request',
  async () => {
    const app = await sharedApp()
    const { visitor: here, credentials } = await joinAdmin(app)
    const there = createVisitor(app)
    await there.send('POST', '/session', credentials, { 'user-agent': 'Another browser' })

    type Sessions = { items: { id: string; current: boolean; userAgent: string; source: string }[] }
    const listed = await here.send<Sessions>('GET', '/sessions')
    const other = listed.body.items.find((session) => !session.current)
    assert.equal(listed.body.items.length, 2)
    assert.equal(other?.userAgent, 'Another browser')
    assert.equal(other?.source, '127.0.0.1')
    assert.ok(!listed.text.includes('oken'))

    assert.equal((await here.send('DELETE', `/sessions/${other?.id}`)).status, 204)
    assert.equal((await there.send('GET', '/me')).status, 401)
    assert.equal((await here.send('GET', '/me')).status, 200)
  },
)

verifies(
  'accounts:sessions-listed-and-revoked',
  'a member can end only their own sessions; an admin any session',
  async () => {
    const app = await sharedApp()
    const { id, visitor: admin } = await joinAdmin(app)
    const member = await join(app, 'member')
    const [adminSession] = (await admin.send<{ items: { id: string }[] }>('GET', '/sessions')).body.items
    assert.equal((await member.visitor.send('DELETE', `/sessions/${adminSession?.id}`)).status, 404)
    assert.equal((await member.visitor.send('GET', `/sessions?userId=${id}`)).status, 403)

    const theirs = await admin.send<{ items: { id: string }[] }>('GET', `/sessions?userId=${member.id}`)
    assert.equal((await admin.send('DELETE', `/sessions/${theirs.body.items[0]?.id}`)).status, 204)
    assert.equal((await member.visitor.send('GET', '/me')).status, 401)
  },
)

verifies(
  'accounts:sessions-listed-and-revoked',
  'signing out ends the session, not only the cookie',
  async () => {
    const app = await sharedApp()
    const { visitor: admin } = await joinAdmin(app)
    const copy = createVisitor(app, admin.cookie)
    const out = await admin.send('DELETE', '/session')
    assert.equal(out.status, 204)
    assert.match(out.headers.get('set-cookie') ?? '', /^bellhop=; .*Max-Age=0/)
    assert.equal((await copy.send('GET', '/me')).status, 401)
    assert.equal((await admin.send('DELETE', '/session')).status, 204, 'once more does no harm')
  },
)

verifies(
  'accounts:sessions-listed-and-revoked',
  'a session ends after two weeks without use, and after 90 days in any case',
  async () => {
    const app = await sharedApp()
    const { id, visitor: admin } = await joinAdmin(app)
    const age = (days: number, silentDays: number) =>
      sql`update sessions set created_at = now() - make_interval(days => ${days}),
        last_used_at = now() - make_interval(days => ${silentDays}) where user_id = ${id}`.execute(
        app.app.ctx.db,
      )
    await age(13, 13)
    assert.equal((await admin.send('GET', '/me')).status, 200, 'and each use begins the two weeks anew')
    await age(89, 1)
    assert.equal((await admin.send('GET', '/me')).status, 200)
    await age(91, 1)
    assert.equal((await admin.send('GET', '/me')).status, 401)
    await age(1, 1)
    await sql`update users set disabled_at = now() where id = ${id}`.execute(app.app.ctx.db)
    assert.equal((await admin.send('GET', '/me')).status, 401, 'whoever is disabled')
    await sql`update users set disabled_at = null where id = ${id}`.execute(app.app.ctx.db)
    await age(15, 15)
    assert.equal((await admin.send('GET', '/me')).status, 401)
    await sweepAccounts(app.app.ctx)
    const left = await sql`select from sessions where user_id = ${id}`.execute(app.app.ctx.db)
    assert.equal(left.rows.length, 0)
  },
)

verifies(
  'accounts:sign-in-throttled',
  'guesses at one account are refused, however many come at once',
  async () => {
    const app = await sharedApp()
    const { credentials } = await joinAdmin(app)
    const guesses = await Promise.all(
      Array.from({ length: 13 }, () =>
        createVisitor(app).send('POST', '/session', { ...credentials, password: 'a wrong password' }),
      ),
    )
    const refused = guesses.filter(({ status }) => status === 429)
    assert.equal(guesses.filter(({ status }) => status === 401).length, 10)
    assert.equal(refused.length, 3)
    for (const { headers, body } of refused) {
      const seconds = Number(headers.get('retry-after'))
      assert.ok(seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`)
      assert.equal(body.type, 'too-many-requests')
      assert.match(String(body.detail), new RegExp(`in ${seconds} s`))
    }
    const right = await createVisitor(app).send('POST', '/session', credentials)
    assert.equal(right.status, 429, 'also the right password has to wait')

    await sql`update sign_in_attempts set refilled_at = refilled_at - interval '60 seconds'`.execute(
      app.app.ctx.db,
    )
    assert.equal((await createVisitor(app).send('POST', '/session', credentials)).status, 200)
  },
)

verifies(
  'accounts:sign-in-throttled',
  'guesses from one network are refused, other networks go on',
  async () => {
    const app = await sharedApp()
    const { credentials } = await joinAdmin(app)
    const from = (source: string, email: string) =>
      createVisitor(app).send('POST', '/session', { email, password }, { 'x-forwarded-for': source })
    assert.equal((await from('2001:db8:1:2::1', 'a@example.com')).status, 401)
    // As after thirty failures.
    await sql`update sign_in_attempts set refilled_at = clock_timestamp() + interval '300 seconds'
            where key like 'source 2001:db8:1:2:%'`.execute(app.app.ctx.db)

    const neighbour = await from('2001:db8:1:2:ffff::9', 'b@example.com')
    assert.equal(neighbour.status, 429, 'a network of 2⁶⁴ addresses counts as one')
    assert.match(String(neighbour.body.detail), /from this address/)
    assert.equal((await from('2001:db8:1:3::1', credentials.email)).status, 200)
  },
)

verifies(
  'accounts:sign-in-throttled',
  'failed guesses by others do not lock somebody out where they are signed in',
  async () => {
    const app = await sharedApp()
    const { credentials } = await joinAdmin(app)
    const from = async (source: string | null, given: object = credentials) =>
      (
        await createVisitor(app).send(
          'POST',
          '/session',
          given,
          source === null ? {} : { 'x-forwarded-for': source },
        )
      ).status
    for (let n = 0; n < 10; n++) {
      assert.equal(await from(`203.0.113.${n}`, { ...credentials, password: 'a wrong password' }), 401)
    }
    assert.equal(await from('203.0.113.99'), 429)
    assert.equal(await from(null), 200)
    assert.equal(await from('203.0.113.99'), 429, 'and the strangers gain nothing by it')
  },
)

verifies('accounts:sign-in-throttled', 'successful sign-ins from one office are not counted', async () => {
  const app = await sharedApp()
  const { credentials } = await joinAdmin(app)
  const waiting = async () => {
    const { rows } = await sql<{ key: string }>`
      select key from sign_in_attempts where refilled_at > clock_timestamp()`.execute(app.app.ctx.db)
    return new Set(rows.map(({ key }) => key))
  }
  const before = await waiting()
  await createVisitor(app).send('POST', '/session', credentials, { 'x-forwarded-for': '198.51.100.7' })
  assert.deepEqual((await waiting()).difference(before), new Set())
})
