import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { TOTP } from 'otpauth'
import { findUser } from '../../src/accounts/store/users.ts'
import { confirmTotp } from '../../src/accounts/totp/manage-totp.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startTestApp, type TestApp } from '../support/start-test-app.ts'
import { tokenOf } from '../support/token-of.ts'
import { verifies } from '../support/verifies.ts'
import { createVisitor, join, type Person, password } from './visitor.ts'

/** A clock that tests move: each code works once, so the next one is half a minute away. */
let nowMs = Date.parse('2026-03-01T12:00:00Z')
const wait = (seconds: number) => {
  nowMs += seconds * 1000
}
const sharedApp = shareInFile(() => startTestApp({ now: () => new Date(nowMs) }))

type Enrolled = { person: Person; code(): string; recoveryCodes: string[] }

async function enrol(app: TestApp, known?: Person): Promise<Enrolled> {
  const person = known ?? (await join(app, 'member'))
  const begun = await person.visitor.send<{ secret: string; url: string }>('POST', '/me/totp', { password })
  assert.match(begun.body.url, /^otpauth:\/\/totp\/Bellhop:member-[\w-]+%40example\.com\?/)
  const totp = new TOTP({ secret: begun.body.secret })
  const code = () => totp.generate({ timestamp: nowMs })
  const confirmed = await person.visitor.send<{ recoveryCodes: string[] }>('POST', '/me/totp/confirm', {
    code: code(),
  })
  assert.equal(confirmed.status, 200, confirmed.text)
  return { person, code, recoveryCodes: confirmed.body.recoveryCodes }
}

function signIn(app: TestApp, { email }: Person, code?: string) {
  return createVisitor(app).send('POST', '/session', { email, password, ...(code ? { code } : {}) })
}

verifies(
  'accounts:totp',
  'with a second factor, sign-in asks for a code, and each code works once',
  async () => {
    const app = await sharedApp()
    const { person, code } = await enrol(app)
    assert.equal((await person.visitor.send('GET', '/me')).body.totp, true)

    const without = await signIn(app, person)
    assert.equal(without.status, 401)
    assert.equal(without.body.type, 'second-factor-required')
    wait(30)
    assert.equal((await signIn(app, person, '000000')).body.type, 'sign-in-failed')
    const racers = await Promise.all([signIn(app, person, code()), signIn(app, person, code())])
    assert.deepEqual(racers.map(({ status }) => status).sort(), [200, 401])
    wait(120)
    assert.equal((await signIn(app, person, code())).status, 200)
    // Another device in the same half minute has other codes, none of which was used.
    assert.equal((await person.visitor.send('DELETE', '/me/totp', { password })).status, 204)
    await enrol(app, person)
  },
)

verifies(
  ['accounts:totp', 'vault:lost-key'],
  'if the key of the app’s secret is gone, sign-in says so, and a recovery code works',
  async () => {
    const app = await sharedApp()
    const { person, code, recoveryCodes } = await enrol(app)
    await sql`
      update users set totp_secret = regexp_replace(totp_secret, '^v1\.[^.]+', 'v1.0123456789ab')
      where id = ${person.id}`.execute(app.app.ctx.db)
    wait(30)
    const refused = await signIn(app, person, code())
    assert.equal(refused.status, 401)
    assert.match(
      refused.text,
      /cannot be checked, because the encryption key of its secret is gone.*recovery code/,
    )
    assert.equal((await signIn(app, person, recoveryCodes[0])).status, 200)
  },
)

verifies('accounts:totp', 'a wrong password does not reveal that there is a second factor', async () => {
  const app = await sharedApp()
  const { person } = await enrol(app)
  const wrong = await createVisitor(app).send('POST', '/session', {
    email: person.email,
    password: 'not that one',
  })
  assert.equal(wrong.body.type, 'sign-in-failed')
})

verifies('accounts:totp', 'a known password gives no further guesses at the code', async () => {
  const app = await sharedApp()
  const { person } = await enrol(app)
  await Promise.all(Array.from({ length: 9 }, () => signIn(app, person, '000000')))
  assert.equal((await signIn(app, person)).body.type, 'second-factor-required')
  assert.equal((await signIn(app, person, '000000')).status, 401, 'the tenth and last')
  assert.equal((await signIn(app, person, '000000')).status, 429)
})

verifies('accounts:totp', 'a recovery code replaces a code, once', async () => {
  const app = await sharedApp()
  const { person, recoveryCodes } = await enrol(app)
  assert.equal(recoveryCodes.length, 10)
  const written = recoveryCodes[0]?.toUpperCase().replaceAll('-', ' ')
  assert.equal((await signIn(app, person, written)).status, 200)
  assert.equal((await signIn(app, person, written)).status, 401)
})

verifies(
  'accounts:totp',
  'a later code makes new recovery codes, also if the answer to the first was lost; the former ones stop working',
  async () => {
    const app = await sharedApp()
    const { person, code, recoveryCodes: former } = await enrol(app)
    const renew = (given: string) =>
      person.visitor.send<{ recoveryCodes: string[] }>('POST', '/me/totp/confirm', { code: given })
    assert.equal((await renew(code())).status, 422, 'a code that was used')
    wait(30)
    const { status, body } = await renew(code())
    assert.equal(status, 200)
    assert.equal((await signIn(app, person, former[0])).status, 401)
    assert.equal((await signIn(app, person, body.recoveryCodes[0])).status, 200)
    assert.equal((await renew(body.recoveryCodes[1] ?? '')).status, 200, 'with the last recovery code too')
    assert.equal((await signIn(app, person)).body.type, 'second-factor-required')
    const { items } = await app.get<{ items: { action: string }[] }>(
      `/api/v1/audit?limit=100&actorId=${person.id}`,
    )
    assert.equal(items.filter(({ action }) => action === 'totp.recovery-codes-renewed').length, 2)
    assert.equal(items.filter(({ action }) => action === 'totp.enabled').length, 1)
  },
)

verifies(
  ['accounts:totp', 'accounts:password-reset'],
  'a reset link does not go around the second factor',
  async () => {
    const app = await sharedApp()
    const { person } = await enrol(app)
    const { body } = await app.api<{ url: string }>('POST', `/api/v1/users/${person.id}/reset-link`)
    const visitor = createVisitor(app)
    const accepted = await visitor.send('POST', '/links/accept', { token: tokenOf(body.url), password })
    assert.deepEqual(accepted.body, { email: person.email, signedIn: false })
    assert.equal(visitor.cookie, '')

    assert.equal((await app.api('DELETE', `/api/v1/users/${person.id}/totp`)).status, 204)
    assert.equal((await signIn(app, person)).status, 200, 'an admin helps who lost the device')
  },
)

verifies(
  'accounts:totp',
  'it counts only once confirmed, is changed only with the password, and is stored sealed',
  async () => {
    const app = await sharedApp()
    const { person, code, recoveryCodes } = await enrol(app)
    const { visitor } = person
    assert.equal((await visitor.send('POST', '/me/totp', { password })).body.type, 'in-use')
    assert.equal((await visitor.send('DELETE', '/me/totp', { password: 'not that one' })).status, 422)
    const { rows } = await sql<{ all: string }>`
      select (select totp_secret from users where id = ${person.id}) || ' ' || string_agg(code_hash, ' ') as all
      from recovery_codes where user_id = ${person.id}`.execute(app.app.ctx.db)
    assert.match(rows[0]?.all ?? '', /^v1\.[0-9a-f]{12}\./)
    for (const recovery of recoveryCodes) assert.ok(!rows[0]?.all.includes(recovery.replaceAll('-', '')))

    assert.equal((await visitor.send('DELETE', '/me/totp', { password })).status, 204)
    assert.equal((await signIn(app, person)).status, 200)
    wait(60)
    await visitor.send('POST', '/me/totp', { password })
    assert.equal((await signIn(app, person)).status, 200, 'begun and never confirmed')
    const wrong = await visitor.send<{ errors: { pointer: string }[] }>('POST', '/me/totp/confirm', {
      code: code(),
    })
    assert.equal(wrong.body.errors[0]?.pointer, '/code', 'the code of the former secret')
  },
)

verifies(
  'accounts:totp',
  'a code confirms only the secret it was made with, not one that replaces it at the same moment',
  async () => {
    const app = await sharedApp()
    const person = await join(app, 'member')
    const begin = () => person.visitor.send<{ secret: string }>('POST', '/me/totp', { password })
    const { secret } = (await begin()).body
    const user = await findUser(app.app.ctx.db, person.id)
    assert.ok(user)
    await begin()
    const code = new TOTP({ secret }).generate({ timestamp: nowMs })
    await assert.rejects(confirmTotp(app.app.ctx, user, code, '127.0.0.1'), { type: 'in-use' })
    assert.equal((await signIn(app, person)).status, 200, 'who has only the first secret is not locked out')
  },
)
