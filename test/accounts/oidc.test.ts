import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { TOTP } from 'otpauth'
import { shareInFile } from '../support/share-in-file.ts'
import { startTestApp, type TestApp } from '../support/start-test-app.ts'
import { tokenOf } from '../support/token-of.ts'
import { verifies } from '../support/verifies.ts'
import { type OidcProviderStub, oidcClient, type Person, startOidcProvider } from './start-oidc-provider.ts'
import { createVisitor, join, newAddress, password } from './visitor.ts'

type Newcomers = 'member' | null

/** The app's clock, which a test can move and then puts right. */
let nowMs = () => Date.now()

async function startBoth() {
  await using stack = new AsyncDisposableStack()
  const provider = stack.use(await startOidcProvider())
  const app = stack.use(
    await startTestApp({
      env: { EGRESS_PRIVATE_EXCEPTIONS: provider.host, TRUSTED_PROXIES: '127.0.0.1' },
      now: () => new Date(nowMs()),
    }),
  )
  const admit = async (newUsersRole: Newcomers) => {
    const configured = await app.api('PUT', '/api/v1/oidc', {
      name: 'Example ID',
      issuer: provider.issuer,
      newUsersRole,
      ...oidcClient,
    })
    assert.equal(configured.status, 200, configured.text)
  }
  await admit(null)
  const opened = stack.move()
  return { app, provider, admit, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

const sharedBoth = shareInFile(startBoth)

/** The shared ones, and somebody at the provider who is new to the app. */
async function both(newUsersRole: Newcomers = null) {
  const { app, provider, admit } = await sharedBoth()
  await admit(newUsersRole)
  return { app, provider, verified: newPerson() }
}

function newPerson() {
  const email = newAddress('bo')
  return { sub: `${email} at the provider`, email, email_verified: true, name: 'Bo' }
}

function open(url: string, cookie = '') {
  return fetch(url, { redirect: 'manual', headers: cookie ? { cookie } : {} })
}

const cookieOf = (response: Response, name: string) =>
  response.headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith(`${name}=`))
    ?.split(';')[0] ?? ''

async function begin(app: TestApp, to = '/') {
  const response = await open(`${app.url}/api/v1/session/oidc?to=${encodeURIComponent(to)}`)
  assert.equal(response.status, 302)
  return { url: response.headers.get('location') ?? '', cookie: cookieOf(response, 'bellhop-oidc') }
}

async function signIn(app: TestApp, provider: OidcProviderStub, person: Person, to = '/') {
  const { url, cookie } = await begin(app, to)
  const back = await open(provider.approve(url, person), cookie)
  assert.equal(back.status, 302)
  return { to: back.headers.get('location'), visitor: createVisitor(app, cookieOf(back, 'bellhop')) }
}

verifies(
  'accounts:oidc',
  'somebody who was invited signs in through the provider and keeps the role',
  async () => {
    const { app, provider, verified } = await both()
    assert.deepEqual((await createVisitor(app).send('GET', '/setup')).body.oidc, 'Example ID')
    const bo = await join(app, 'operator', `BO${verified.email.slice(2)}`)
    const { to, visitor } = await signIn(app, provider, verified, '/runs?status=failed')
    assert.equal(to, '/runs?status=failed')
    const me = await visitor.send('GET', '/me')
    assert.deepEqual([me.body.id, me.body.role], [bo.id, 'operator'])

    await app.api('PATCH', `/api/v1/users/${bo.id}`, { email: newAddress('new') })
    const later = await signIn(app, provider, { ...verified, email: 'elsewhere@example.com' })
    assert.equal(
      (await later.visitor.send('GET', '/me')).body.id,
      bo.id,
      'the subject counts, not the address',
    )
  },
)

verifies(
  'accounts:oidc',
  'somebody who is not invited, not verified or disabled cannot sign in',
  async () => {
    const { app, provider, verified } = await both()
    assert.equal((await signIn(app, provider, verified)).to, '/sign-in?refused=not-invited')
    const wanted = await signIn(app, provider, verified, '/runs?status=failed')
    assert.equal(wanted.to, '/sign-in?refused=not-invited&to=%2Fruns%3Fstatus%3Dfailed')
    const bo = await join(app, 'admin', verified.email)
    for (const email_verified of [false, undefined, 'true']) {
      const claims = JSON.parse(JSON.stringify({ ...verified, email_verified }))
      assert.equal((await signIn(app, provider, claims)).to, '/sign-in?refused=email-not-verified')
    }
    const { email: own } = verified
    for (const email of [`${own} `, own.replace('o', '\u0000o'), 'bo', `${'b'.repeat(250)}@example.com`]) {
      const { to } = await signIn(app, provider, { ...verified, email })
      assert.equal(to, '/sign-in?refused=email-not-verified', JSON.stringify(email.slice(0, 20)))
    }
    await join(app, 'admin', 'kim@example.com')
    const alike = { ...verified, email: '\u212aim@example.com' }
    assert.equal((await signIn(app, provider, alike)).to, '/sign-in?refused=email-not-verified')
    assert.equal((await signIn(app, provider, verified)).to, '/')
    await join(app, 'admin')
    await app.api('PATCH', `/api/v1/users/${bo.id}`, { disabled: true })
    const { to, visitor } = await signIn(app, provider, verified)
    assert.equal(to, '/sign-in?refused=disabled')
    assert.equal(visitor.cookie, '')
  },
)

verifies(
  ['accounts:invitations', 'accounts:oidc'],
  'an invitation is used up by whoever joins through the provider; a later link works',
  async () => {
    const { app, provider, verified } = await both()
    type Link = { id: string; link: { url: string }; url: string }
    const invited = await app.api<Link>('POST', '/api/v1/users', {
      email: verified.email,
      name: 'Bo',
      role: 'operator',
    })
    const accept = async (url: string) =>
      (await createVisitor(app).send('POST', '/links/accept', { token: tokenOf(url), password })).status
    assert.equal((await signIn(app, provider, verified)).to, '/')
    assert.equal(await accept(invited.body.link.url), 410)

    const link = await app.api<Link>('POST', `/api/v1/users/${invited.body.id}/reset-link`)
    assert.equal((await signIn(app, provider, verified)).to, '/')
    assert.equal(await accept(link.body.url), 200)
  },
)

verifies(
  ['accounts:plain-names', 'accounts:oidc'],
  'a newcomer has the name of the provider without hidden characters, or the address if none is left',
  async () => {
    const { app, provider, verified } = await both('member')
    const nameOf = async (sub: string, name: string) => {
      const { visitor } = await signIn(app, provider, { ...verified, sub, email: `${sub}@example.com`, name })
      return (await visitor.send('GET', '/me')).body.name
    }
    assert.equal(await nameOf('eve', 'Ada\u0000\u202e\n(admin)'), 'Ada (admin)')
    assert.equal(await nameOf('nobody', '\u200b\u2800'), 'nobody@example.com')
    assert.equal(await nameOf('long', `${'x'.repeat(99)}😀`), 'x'.repeat(99))
  },
)

verifies(
  ['accounts:one-name-per-person', 'accounts:oidc'],
  'a newcomer whose name at the provider is taken gets a distinct one',
  async () => {
    const { app, provider, verified } = await both('member')
    const nameOf = async (sub: string, name: string) => {
      const { visitor } = await signIn(app, provider, { ...verified, sub, email: `${sub}@example.com`, name })
      return (await visitor.send('GET', '/me')).body.name
    }
    assert.equal(await nameOf('joy1', 'Joy'), 'Joy')
    assert.equal(await nameOf('joy2', 'JOY'), 'JOY 2')
    assert.equal(await nameOf('joy3', 'Jоy'), 'Jоy 3')
    assert.equal(await nameOf('joy2', 'JOY'), 'JOY 2')
  },
)

verifies(
  ['accounts:oidc', 'accounts:totp'],
  'who has switched on a second factor is asked for it after the provider too, unless the provider asked for one',
  async () => {
    let ms = Date.now()
    nowMs = () => ms
    using _restored = {
      [Symbol.dispose]: () => {
        nowMs = () => Date.now()
      },
    }
    const { app, provider, verified } = await both()
    const bo = await join(app, 'member', verified.email)
    const { body: begun } = await bo.visitor.send<{ secret: string }>('POST', '/me/totp', { password })
    const totp = new TOTP({ secret: begun.secret })
    const code = () => totp.generate({ timestamp: ms })
    assert.equal((await bo.visitor.send('POST', '/me/totp/confirm', { code: code() })).status, 200)
    ms += 60_000

    const { url, cookie } = await begin(app, '/runs')
    const back = await open(provider.approve(url, verified), cookie)
    assert.equal(back.headers.get('location'), '/sign-in?step=code&to=%2Fruns')
    assert.equal(cookieOf(back, 'bellhop'), '', 'no session yet')
    const step = () => createVisitor(app, cookieOf(back, 'bellhop-oidc-code'))
    const wrong = await step().send('POST', '/session/oidc/code', { code: '000000' })
    assert.deepEqual([wrong.status, wrong.body.type], [401, 'sign-in-failed'])
    assert.equal((await createVisitor(app).send('POST', '/session/oidc/code', { code: code() })).status, 401)
    const right = await step().send('POST', '/session/oidc/code', { code: code() })
    assert.deepEqual([right.status, right.body.id], [200, bo.id])
    const again = await step().send('POST', '/session/oidc/code', { code: code() })
    assert.equal(again.status, 401, 'each code works once')
    ms += 11 * 60_000
    const late = await step().send('POST', '/session/oidc/code', { code: code() })
    assert.equal(late.status, 401, 'the provider confirmed it too long ago')

    const strong = await signIn(app, provider, { ...verified, amr: ['pwd', 'mfa'] }, '/runs')
    assert.equal(strong.to, '/runs')
    assert.equal((await strong.visitor.send('GET', '/me')).body.id, bo.id)
  },
)

verifies('accounts:oidc', 'where admins allow it, a newcomer gets the role they chose', async () => {
  const { app, provider, verified } = await both('member')
  const { visitor } = await signIn(app, provider, { ...verified, name: 'Nia' })
  const me = await visitor.send('GET', '/me')
  assert.deepEqual([me.body.name, me.body.email, me.body.role], ['Nia', verified.email, 'member'])
  assert.equal((await app.get(`/api/v1/users/${me.body.id}`)).status, 'active')
})

verifies(
  'accounts:oidc',
  'a provider may want the client secret in the body or as HTTP Basic, whatever it says it accepts',
  async () => {
    const { app, provider, verified } = await both('member')
    const methods = [undefined, ['client_secret_basic'], ['client_secret_basic', 'client_secret_post']]
    for (const listed of methods) {
      provider.clientAuth = { method: 'basic', listed }
      assert.equal((await signIn(app, provider, verified)).to, '/', String(listed))
    }
    provider.clientAuth = { method: 'post', listed: ['client_secret_basic', 'client_secret_post'] }
    assert.equal((await signIn(app, provider, verified)).to, '/')
  },
)

verifies(
  'accounts:oidc',
  'an answer of another attempt, one that took too long, a forged token or a second use signs nobody in',
  async () => {
    const { app, provider, verified } = await both('member')
    const slow = await begin(app, '/runs')
    nowMs = () => Date.now() + 601_000
    const tooLate = await open(provider.approve(slow.url, verified), slow.cookie)
    // The destination is still known, so that a second try leads there.
    assert.equal(tooLate.headers.get('location'), '/sign-in?refused=expired&to=%2Fruns')
    nowMs = () => Date.now()
    const mine = await begin(app)
    const theirs = await begin(app)
    const refused = async (url: string, cookie: string) =>
      (await open(url, cookie)).headers.get('location')?.split('=')[1]

    assert.equal(await refused(provider.approve(theirs.url, verified), mine.cookie), 'provider-failed')
    assert.equal(await refused(provider.approve(mine.url, verified), ''), 'expired')
    assert.equal(await refused(provider.approve(mine.url, verified), 'bellhop-oidc=v1.made.up'), 'expired')
    for (const lie of [
      { nonce: 'another' },
      { aud: 'another' },
      { iss: 'https://another.example' },
      { exp: 1 },
      { sub: 'bo\0' },
    ]) {
      provider.lie = lie
      const { url, cookie } = await begin(app)
      assert.equal(
        await refused(provider.approve(url, verified), cookie),
        'provider-failed',
        JSON.stringify(lie),
      )
    }
    provider.lie = {}
    const { url, cookie } = await begin(app)
    const answer = provider.approve(url, verified)
    assert.equal((await open(answer, cookie)).headers.get('location'), '/')
    assert.equal(await refused(answer, cookie), 'provider-failed')
    const { items } = await app.get<{ items: { email: string }[] }>('/api/v1/users?limit=100')
    assert.equal(items.filter(({ email }) => email === verified.email).length, 1)
  },
)

verifies(
  'accounts:oidc',
  'with an unreachable provider, the browser returns to the sign-in page, which says so',
  async () => {
    await using own = await startBoth()
    await own.provider[Symbol.asyncDispose]()
    const answer = await open(`${own.app.url}/api/v1/session/oidc?to=/runs`)
    assert.equal(answer.status, 302)
    assert.equal(answer.headers.get('location'), '/sign-in?refused=provider-away&to=%2Fruns')
    own.app.app.ctx.publicUrl += '/bellhop'
    const below = await open(`${own.app.url}/api/v1/session/oidc`)
    assert.equal(below.headers.get('location'), '/bellhop/sign-in?refused=provider-away')
  },
)

verifies(
  ['accounts:host-cookie', 'accounts:oidc'],
  'behind https, what ties a sign-in to its browser is a __Host- cookie, which no neighbouring host can set',
  async () => {
    const { app, provider, verified } = await both('member')
    const { url } = app
    const { ctx } = app.app
    const { publicUrl } = ctx
    using _restored = { [Symbol.dispose]: () => void Object.assign(ctx, { publicUrl }) }
    ctx.publicUrl = 'https://bellhop.example.com'
    const begun = await open(`${url}/api/v1/session/oidc`)
    const name = '__Host-bellhop-oidc'
    assert.match(
      begun.headers.getSetCookie()[0] ?? '',
      /^__Host-bellhop-oidc=[^;]+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    const cookie = cookieOf(begun, name)
    const answer = provider.approve(begun.headers.get('location') ?? '', verified)
    const back = answer.replace(ctx.publicUrl, url)
    const tossed = await open(back, cookie.replace('__Host-', ''))
    assert.equal(tossed.headers.get('location'), '/sign-in?refused=expired')
    assert.equal((await open(back, cookie)).headers.get('location'), '/')
    ctx.publicUrl = 'https://tools.example.com/bellhop'
    const below = await open(`${url}/api/v1/session/oidc`)
    assert.match(below.headers.getSetCookie()[0] ?? '', /^__Secure-bellhop-oidc=.*; Path=\/bellhop; /)
  },
)

verifies('accounts:oidc', 'a sign-in never ends at another site', async () => {
  const { app, provider, verified } = await both()
  const away = ['https://evil.example', '//evil.example', '/\\evil.example', 'evil']
  // Browsers drop tabs, line breaks and dot segments.
  const disguised = [
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    '/.//evil.example',
    '/\t\\evil.example',
  ]
  for (const to of [...away, ...disguised]) {
    const response = await open(`${app.url}/api/v1/session/oidc?to=${encodeURIComponent(to)}`)
    assert.equal(response.status, 422, JSON.stringify(to))
  }
  await join(app, 'member', verified.email)
  const { to } = await signIn(app, provider, verified, '/runs?q=Zürich\n€')
  assert.equal(to, '/runs?q=Z%C3%BCrich%E2%82%AC')
})

verifies(
  ['accounts:sign-in-throttled', 'accounts:oidc'],
  'somebody who returns from the provider without an answer, or starts many sign-ins, is soon throttled; others are not',
  async () => {
    await using own = await startBoth()
    const { app, provider, admit } = own
    await admit('member')
    const verified = newPerson()
    const request = (path: string, source: string, cookie = '') =>
      fetch(`${app.url}/api/v1/session/oidc${path}`, {
        redirect: 'manual',
        headers: { cookie, 'x-forwarded-for': source },
      })
    // A person sees the result in a browser, so the sign-in page shows it.
    const hasToWait = (answer: Response) => {
      assert.equal(answer.status, 302)
      return answer.headers.get('location') === '/sign-in?refused=too-many-requests'
    }
    const untilRefused = async (ask: () => Promise<Response>): Promise<number> => {
      for (let tries = 0; tries < 200; tries++) if (hasToWait(await ask())) return tries
      throw new Error('Nobody refused it.')
    }
    const { cookie } = await begin(app)

    const made = await untilRefused(() => request('/callback?code=made-up&state=x', '203.0.113.7', cookie))
    assert.ok(made >= 30 && made < 40, String(made))
    const left = await untilRefused(() => request('', '203.0.113.7'))
    assert.ok(left >= 100 && left < 150, String(left))

    // A throttled client (for longer than this test takes) causes no request to the provider and stores nothing.
    await sql`update sign_in_attempts set refilled_at = refilled_at + interval '1 hour'
      where refilled_at > clock_timestamp() + interval '60 seconds'`.execute(app.app.ctx.db)
    const before = { asked: provider.asked(), refusals: await refusals() }
    assert.ok(before.refusals < 40)
    for (let n = 0; n < 5; n++) {
      assert.ok(hasToWait(await request('/callback?code=made-up&state=x', '203.0.113.7', cookie)))
      assert.ok(hasToWait(await request('', '203.0.113.7')))
    }
    assert.deepEqual({ asked: provider.asked(), refusals: await refusals() }, before)

    // A whole office may sign in: only returns without an answer are counted.
    for (let n = 0; n < 35; n++) {
      const { visitor } = await signIn(app, provider, {
        ...verified,
        sub: `s${n}`,
        email: `${n}@example.com`,
      })
      assert.notEqual(visitor.cookie, '')
    }

    async function refusals(): Promise<number> {
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from audit_log where action = 'session.refused'`.execute(app.app.ctx.db)
      return rows[0]?.n ?? 0
    }
  },
)

verifies('accounts:oidc', 'a provider whose answers never end fills no memory', async () => {
  await using own = await startBoth()
  own.provider.endless = true
  const answer = await open(`${own.app.url}/api/v1/session/oidc`)
  assert.equal(answer.headers.get('location'), '/sign-in?refused=provider-away')
  assert.ok(own.provider.sentBytes() < 64 * 1024 * 1024)
})

verifies(
  'accounts:oidc',
  'the client secret is sealed, never shown, and never sent to another issuer',
  async () => {
    await using own = await startBoth()
    const { app, provider } = own
    const shown = await app.api<{ provider: unknown; redirectUri: string }>('GET', '/api/v1/oidc')
    assert.deepEqual(shown.body, {
      provider: {
        name: 'Example ID',
        issuer: provider.issuer,
        clientId: 'bellhop',
        newUsersRole: null,
        clientSecret: { set: true },
      },
      redirectUri: `${app.url}/api/v1/session/oidc/callback`,
    })
    const { rows } = await sql<{ clientSecret: string }>`select client_secret from oidc_provider`.execute(
      app.app.ctx.db,
    )
    assert.match(rows[0]?.clientSecret ?? '', /^v1\./)

    const put = (change: Record<string, unknown>) =>
      app.api<{ type: string; errors: { pointer: string }[] }>('PUT', '/api/v1/oidc', {
        name: 'Other',
        issuer: provider.issuer,
        clientId: 'bellhop',
        newUsersRole: null,
        ...change,
      })
    assert.equal((await put({})).status, 200, 'the same issuer keeps its secret')
    for (const change of [
      { issuer: 'https://other.example.com' },
      { issuer: 'http://id.example.com', clientSecret: 'x' },
      { issuer: `${provider.issuer}/nothing-here`, clientSecret: 'x' },
    ]) {
      const refused = await put(change)
      assert.equal(refused.status, 422, JSON.stringify(change))
      assert.match(refused.body.errors[0]?.pointer ?? '', /^\/(issuer|clientSecret)$/)
    }

    const internal = await put({ issuer: 'https://10.0.0.1', clientSecret: 'x' })
    assert.deepEqual([internal.status, internal.body.type], [422, 'address-not-allowed'])
    assert.equal(internal.body.errors[0]?.pointer, '/issuer')

    assert.equal((await app.api('DELETE', '/api/v1/oidc')).status, 204)
    const gone = await open(`${app.url}/api/v1/session/oidc?to=%2Fruns`)
    assert.equal(gone.headers.get('location'), '/sign-in?refused=not-found&to=%2Fruns')
  },
)
