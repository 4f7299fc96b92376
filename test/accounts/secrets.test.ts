import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import { createLog } from '../../src/platform/log.ts'
import { startTestApp, testApiKey } from '../support/start-test-app.ts'
import { tokenOf } from '../support/token-of.ts'
import { verifies } from '../support/verifies.ts'
import { createVisitor, joinByLink, password } from './visitor.ts'

verifies(
  ['http:no-echo', 'accounts:sign-in'],
  'passwords, tokens, keys and codes are in no log line and no later answer',
  async () => {
    const lines: string[] = []
    const log = await createLog({
      level: 'trace',
      pretty: false,
      destination: { write: (line) => void lines.push(line) },
    })
    await using app = await startTestApp({ log })
    const adminPassword = 'the password of the first admin'
    const admin = createVisitor(app)
    const setupToken = tokenOf(app.app.setupUrl)
    await admin.send('POST', '/setup', {
      token: setupToken,
      email: 'ada@example.com',
      name: 'Ada',
      password: adminPassword,
    })
    const cookieToken = admin.cookie.split('=')[1] ?? ''
    const bo = await joinByLink(app, 'member')
    const reset = await app.api<{ url: string }>('POST', `/api/v1/users/${bo.id}/reset-link`)
    const key = await app.api<{ key: string }>('POST', '/api/v1/api-keys', { name: 'CI', role: 'member' })
    const enrolled = await admin.send<{ secret: string }>('POST', '/me/totp', { password: adminPassword })
    const confirmed = await admin.send<{ recoveryCodes: string[] }>('POST', '/me/totp/confirm', {
      code: new TOTP({ secret: enrolled.body.secret }).generate(),
    })
    const secrets = [
      adminPassword,
      password,
      setupToken,
      cookieToken,
      tokenOf(reset.body.url),
      testApiKey,
      key.body.key,
      enrolled.body.secret,
      ...confirmed.body.recoveryCodes,
    ]
    for (const secret of secrets) assert.ok(secret.length >= 12, 'a secret was not found')

    const answers = [
      await admin.send('POST', '/session', { email: 'ada@example.com', password: adminPassword, code: 'x' }),
      await admin.send('POST', '/session', { email: 'ada@example.com', password, extra: password }),
      await admin.send('POST', '/links/accept', { token: setupToken, password: adminPassword }),
      await admin.send('GET', '/me', undefined, { authorization: `Bearer ${key.body.key}x` }),
      ...(await Promise.all(
        ['/me', '/users', '/sessions', '/api-keys', '/audit?limit=100'].map((path) =>
          admin.send('GET', path),
        ),
      )),
    ]
    const told = [...lines, ...answers.map(({ text }) => text)].join('\n')
    assert.match(told, /request\.answered/)
    assert.match(told, /session\.created/)
    for (const [index, secret] of secrets.entries()) {
      assert.ok(!told.includes(secret), `secret number ${index} was told`)
    }
  },
)
