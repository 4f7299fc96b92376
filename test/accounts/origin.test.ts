import assert from 'node:assert/strict'
import { checkOrigin } from '../../src/accounts/signing-in/check-origin.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'
import { createVisitor, password, setUpAdmin } from './visitor.ts'

const credentials = { email: 'ada@example.com', password }

verifies('http:origin-check', 'a change that another site makes the browser send is refused', async () => {
  await using app = await startTestApp()
  const admin = await setUpAdmin(app)
  const change = (headers: Record<string, string>) => admin.send('PATCH', '/me', { name: 'Eve' }, headers)
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'same-site', origin: 'https://other.example.com' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: app.url.replace('http:', 'http://evil.') },
  ]
  for (const headers of foreign) {
    const refused = await change(headers)
    assert.equal(refused.status, 403, JSON.stringify(headers))
    assert.equal(refused.body.type, 'wrong-origin')
  }
  assert.equal((await admin.send('GET', '/me')).body.name, 'Ada')
  // The router decodes percent-encoded letters.
  for (const path of ['/%61pi/v1/channels', '/api/v1/%63hannels']) {
    const headers = {
      cookie: admin.cookie,
      'sec-fetch-site': 'same-site',
      origin: 'https://other.example.com',
    }
    const refused = await fetch(app.url + path, { method: 'POST', headers, body: '{"name":"eves"}' })
    assert.equal(refused.status, 403, path)
  }
  const signIn = await createVisitor(app).send('POST', '/session', credentials, {
    origin: 'https://evil.example',
  })
  assert.equal(signIn.status, 403, 'nobody is signed in by another site')

  assert.equal((await change({ 'sec-fetch-site': 'same-origin', origin: app.url })).status, 200)
  assert.equal((await change({ origin: app.url })).status, 200)
  assert.equal((await change({})).status, 200, 'no browser, so nobody was tricked')

  // A proxy in front has its own Basic password, which the browser then sends with every request.
  const proxied = { authorization: 'Basic YTpi' }
  assert.equal((await admin.send('GET', '/me', undefined, proxied)).status, 200)
  assert.equal((await change({ ...proxied, origin: 'https://evil.example' })).status, 403)
})

verifies(
  'http:origin-check',
  'behind a proxy that hides our host, PUBLIC_URL is our origin; API keys need no origin',
  () => {
    const ctx = { publicUrl: 'https://bellhop.example.com' }
    const post = (path: string, headers: Record<string, string>) =>
      new Request(`http://10.0.0.1:3000${path}`, { method: 'POST', headers })
    checkOrigin(ctx, post('/api/v1/session', { origin: 'https://bellhop.example.com' }))
    checkOrigin(
      ctx,
      post('/api/v1/webhooks', { origin: 'https://evil.example', authorization: 'Bearer blh_x' }),
    )
    assert.throws(() => checkOrigin(ctx, post('/api/v1/session', { origin: 'https://bellhop.example.org' })))
  },
)

verifies(
  'http:origin-check',
  'over http, where a browser would drop the cookie of an https PUBLIC_URL, the answer names the address to open',
  () => {
    const ctx = { publicUrl: 'https://bellhop.example.com' }
    const signIn = (host: string) =>
      new Request(`http://${host}/api/v1/session`, {
        method: 'POST',
        headers: { host, origin: `http://${host}` },
      })
    assert.throws(() => checkOrigin(ctx, signIn('10.0.0.1:3000')), {
      type: 'wrong-origin',
      message: /opened over http.*Open https:\/\/bellhop\.example\.com, or correct PUBLIC_URL/,
    })
    // Browsers keep such a cookie on their own machine.
    checkOrigin(ctx, signIn('localhost:3000'))
    checkOrigin({ publicUrl: 'http://bellhop.example.com' }, signIn('10.0.0.1:3000'))
  },
)
