import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { sql } from 'kysely'
import Stripe from 'stripe'
import { Secret } from '../../src/platform/secret.ts'
import { newId, type WebhookId } from '../../src/shared/ids.ts'
import type { VerificationSettings } from '../../src/webhooks/contract.ts'
import { createFailureLimit } from '../../src/webhooks/ingress/failure-limit.ts'
import { pruneRefusals } from '../../src/webhooks/ingress/prune-refusals.ts'
import { openRefusalLog } from '../../src/webhooks/ingress/refusal-log.ts'
import { diagnoseDelivery } from '../../src/webhooks/verification/diagnose-delivery.ts'
import { resolveSchemes } from '../../src/webhooks/verification/resolve-schemes.ts'
import { signDelivery } from '../../src/webhooks/verification/sign-delivery.ts'
import { verifyDelivery } from '../../src/webhooks/verification/verify-delivery.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { verifies } from '../support/verifies.ts'
import { count, startWebhookApp } from './start-webhook-app.ts'

const sharedApp = shareInFile(() => startWebhookApp({ quiet: true }))

const now = new Date('2026-11-15T12:00:00Z')
const secret = 'planted-secret-0123456789'
const url = 'https://bellhop.example.com/hooks/whk_abc'

type Case = {
  settings: VerificationSettings
  configured?: string
  /** What the sender does. */
  headers: Record<string, string>
  body: string
  at?: Date
  url?: string
}

function doctorSays(given: Case): string {
  const schemes = resolveSchemes(given.settings)
  const secrets = [new Secret(given.configured ?? secret)]
  const delivery = {
    method: 'POST',
    url: given.url ?? url,
    rawHeaders: Object.entries(given.headers).flat(),
    body: Buffer.from(given.body),
  }
  const at = given.at ?? now
  const verdict = verifyDelivery(schemes, secrets, delivery, at)
  assert.ok(!verdict.verified)
  const words = diagnoseDelivery({
    preset: given.settings.preset,
    schemes,
    secrets,
    delivery,
    reason: verdict.reason,
    now: at,
  })
  assert.ok(!words.includes(secret), 'the doctor must not tell the secret')
  assert.ok(!Object.values(given.headers).some((value) => value.length > 8 && words.includes(value)))
  return words
}

function signedBy(settings: VerificationSettings, body: string, key = secret): Record<string, string> {
  const scheme = resolveSchemes(settings)[0]
  assert.ok(scheme)
  const request = { method: 'POST', url, headers: {}, body: Buffer.from(body) }
  const signing = signDelivery(scheme, new Secret(key), request, now)
  assert.ok(signing)
  return signing.headers
}

const github = { preset: 'github' } as const
const standard = { preset: 'standard_webhooks' } as const
const encoded = Buffer.from(secret).toString('base64')
const bearer = { preset: 'shared_secret', header: 'Authorization', prefix: 'Bearer ' } as const
const timedGrafana = { preset: 'grafana', timestampHeader: 'X-Grafana-Time' } as const
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`
const body = '{ "a": 1, "ü": [1, 2] }'

const cases: [string, Case, RegExp][] = [
  ['a missing header', { settings: github, headers: {}, body }, /X-Hub-Signature-256 is missing/],
  [
    'a missing header beside a similar one',
    { settings: github, headers: { 'X-My-Signature': 'abc' }, body },
    /delivery has X-My-Signature instead/,
  ],
  [
    'a wrong secret',
    { settings: github, headers: signedBy(github, body, 'other'), body },
    /another secret, or the body was changed/,
  ],
  [
    'nothing in a body that is nested too deeply to be written again',
    { settings: github, headers: signedBy(github, body), body: '['.repeat(30_000) + ']'.repeat(30_000) },
    /another secret, or the body was changed/,
  ],
  [
    'white space around the configured secret',
    { settings: github, configured: ` ${secret}\n`, headers: signedBy(github, body), body },
    /white space before or after/,
  ],
  [
    'a line break in the sender’s secret',
    { settings: github, headers: signedBy(github, body, `${secret}\n`), body },
    /line break at the end of its secret/,
  ],
  [
    'a body whose JSON was written anew',
    { settings: github, headers: signedBy(github, JSON.stringify(JSON.parse(body))), body },
    /JSON was reformatted/,
  ],
  [
    'a body with a line break added',
    { settings: github, headers: signedBy(github, body), body: `${body}\n` },
    /line break was added at its end/,
  ],
  [
    'the secret read as base64',
    {
      settings: github,
      configured: Buffer.from(secret).toString('base64'),
      headers: signedBy(github, body),
      body,
    },
    /reads it as base64/,
  ],
  [
    'another algorithm',
    {
      settings: { preset: 'sentry' },
      headers: { 'Sentry-Hook-Signature': createHmac('sha512', secret).update(body).digest('hex') },
      body,
    },
    /signs with hmac-sha512/,
  ],
  [
    'capital hex digits',
    {
      settings: { preset: 'sentry' },
      headers: {
        'Sentry-Hook-Signature': createHmac('sha256', secret).update(body).digest('hex').toUpperCase(),
      },
      body,
    },
    /encoded as hex-upper/,
  ],
  [
    'another sender with the right secret',
    { settings: { preset: 'stripe' }, headers: signedBy(github, body), body },
    /signed the way GitHub does, and the secret is correct, but this webhook is set to Stripe/,
  ],
  [
    'another sender with another secret',
    { settings: { preset: 'stripe' }, headers: signedBy(github, body, 'other'), body },
    /looks like one from GitHub, but this webhook is set to Stripe/,
  ],
  [
    'a delivery that is too old',
    {
      settings: { preset: 'slack' },
      headers: signedBy({ preset: 'slack' }, body),
      body,
      at: new Date(now.getTime() + 412_000),
    },
    /correct, but it is 412 s old \(300 s are allowed\)/,
  ],
  [
    'a clock that runs ahead',
    {
      settings: { preset: 'slack' },
      headers: signedBy({ preset: 'slack' }, body),
      body,
      at: new Date(now.getTime() - 900_000),
    },
    /timestamp is 900 s in the future/,
  ],
  [
    'another public URL',
    {
      settings: { preset: 'hubspot' },
      headers: signedBy({ preset: 'hubspot' }, body),
      body,
      url: url.replace('https:', 'http:'),
    },
    /Set PUBLIC_URL/,
  ],
  [
    'a public URL that only the proxy knows',
    {
      settings: { preset: 'hubspot' },
      headers: { ...signedBy({ preset: 'hubspot' }, body), 'X-Forwarded-Host': 'bellhop.example.com' },
      body,
      url: url.replace('https://bellhop.example.com', 'http://localhost:3000'),
    },
    /Set PUBLIC_URL/,
  ],
  [
    'an empty secret at the sender',
    { settings: github, headers: signedBy(github, body, '\0'), body },
    /signs with an empty secret/,
  ],
  [
    'quotation marks in the sender’s secret',
    { settings: github, headers: signedBy(github, body, `"${secret}"`), body },
    /has the secret in quotation marks/,
  ],
  [
    'a prefixed secret that the sender does not decode',
    {
      settings: standard,
      configured: `whsec_${encoded}`,
      headers: {
        'webhook-id': 'm',
        'webhook-timestamp': String(now.getTime() / 1000),
        'webhook-signature': `v1,${createHmac('sha256', `whsec_${encoded}`)
          .update(`m.${now.getTime() / 1000}.${body}`)
          .digest('base64')}`,
      },
      body,
    },
    /uses the whole text of the secret as the key/,
  ],
  [
    'a signed header that does not arrive',
    {
      settings: standard,
      configured: encoded,
      headers: { ...signedBy(standard, body, encoded), 'webhook-id': '' },
      body,
    },
    /^The header webhook-id is missing, although it is signed together with the body/,
  ],
  [
    'a timestamp header that only Grafana is told of',
    { settings: { preset: 'grafana' }, headers: signedBy(timedGrafana, body), body },
    /Enter X-Grafana-Time as the timestamp header here/,
  ],
  [
    'an API key in place of Stripe’s signing secret',
    {
      settings: { preset: 'stripe' },
      configured: 'sk_test_1',
      headers: signedBy({ preset: 'stripe' }, body),
      body,
    },
    /begins with whsec_.*an API key is something else/,
  ],
  [
    'a text before the shared secret that is not set',
    {
      settings: { preset: 'shared_secret', header: 'Authorization' },
      headers: { Authorization: `Bearer ${secret}` },
      body,
    },
    /secret is correct, but the header Authorization has “Bearer ” before it/,
  ],
  [
    'a text before the shared secret that is spelled otherwise',
    { settings: bearer, headers: { Authorization: `bearer ${secret}` }, body },
    /secret is correct, but the header Authorization has “bearer ” before it/,
  ],
  [
    'a text before the shared secret that the sender leaves out',
    { settings: bearer, headers: { Authorization: secret }, body },
    /secret is correct, but the header Authorization has no text before it/,
  ],
  [
    'a shared secret that is empty at the sender',
    { settings: bearer, headers: { Authorization: 'Bearer' }, body },
    /has no secret after “Bearer ”/,
  ],
  [
    'a shared secret in another header',
    { settings: { preset: 'shared_secret' }, headers: { Authorization: `Bearer ${secret}` }, body },
    /was sent in the header Authorization, after “Bearer ”.*with that text before it/,
  ],
  [
    'a shared secret where a signature is expected',
    { settings: { preset: 'grafana' }, headers: { Authorization: `Bearer ${secret}` }, body },
    /was sent in the header Authorization, after “Bearer ”/,
  ],
  [
    'a shared secret that came as a password',
    { settings: bearer, headers: { Authorization: basic(`amelie:${secret}`) }, body },
    /sends the secret as the password of basic authentication/,
  ],
  [
    'a shared secret for basic authentication that was made with echo',
    {
      settings: { ...bearer, prefix: 'Basic ' },
      configured: Buffer.from(`amelie:${secret}\n`).toString('base64'),
      headers: { Authorization: basic(`amelie:${secret}`) },
      body,
    },
    /Make it with printf instead of echo/,
  ],
  [
    'a wrong token of GitLab where it signs',
    {
      settings: { preset: 'gitlab' },
      configured: `whsec_${encoded}`,
      headers: signedBy(standard, body, Buffer.from('other').toString('base64')),
      body,
    },
    /signature has the right format, but was made with another secret/,
  ],
  [
    'a signature that was cut, or made up',
    { settings: github, headers: { 'X-Hub-Signature-256': 'sha256=deadbeef' }, body },
    /The signature in X-Hub-Signature-256 has 8 characters; one of GitHub has 64/,
  ],
  [
    'a header of another form',
    { settings: github, headers: { 'X-Hub-Signature-256': 'deadbeef' }, body },
    /does not have the format of GitHub: X-Hub-Signature-256: sha256=<hex>/,
  ],
]

for (const [what, given, words] of cases) {
  verifies('verify:doctor', `the diagnosis recognises ${what}`, () => {
    assert.match(doctorSays(given), words)
  })
}

verifies(
  'verify:doctor',
  'a long body is not hashed again for every preset, and the diagnosis says so',
  () => {
    const long = `"${'x'.repeat(17_000)}"`
    const sentry = { preset: 'sentry' } as const
    const says = (sent: string) =>
      doctorSays({ settings: github, headers: signedBy(sentry, sent), body: sent })
    assert.match(says('{}'), /signed the way Sentry does, and the secret is correct/)
    assert.match(says(long), /looks like one from Sentry/)

    const spaced = (sent: string) =>
      doctorSays({ settings: github, configured: ` ${secret}`, headers: signedBy(github, sent), body: sent })
    assert.match(spaced(long.slice(0, 16_000)), /white space before or after/)
    assert.match(
      spaced(long),
      /over 16 KiB, so the usual causes were not tried\. Send a smaller delivery to learn more/,
    )
  },
)

const refusal = {
  status: 401,
  problem: 'verification-failed',
  reason: 'x',
  source: '127.0.0.1',
  headers: {},
  contentType: null,
  sizeBytes: 2,
}

verifies(
  'verify:doctor',
  'in one second few deliveries are examined, whatever number of webhooks they come to; the others are stored and say so',
  async () => {
    const app = await sharedApp()
    const limit = createFailureLimit()
    const { vault } = app.test.app.ctx
    await using recorder = openRefusalLog({ db: app.db, vault, now: () => now, onError: assert.fail }, limit)
    const webhookIds = Array.from({ length: 8 }, () => newId('webhook'))
    const examined: string[] = []
    const refuse = (id: WebhookId) =>
      recorder.refused(id, (mayExamine) => {
        if (mayExamine()) examined.push(id)
        return refusal
      })
    // Without a pause, so that all are in the same second.
    for (const id of [...webhookIds, ...webhookIds, ...webhookIds]) refuse(id)
    assert.equal(examined.length, 5)
    await recorder.flush()
    const ids = webhookIds.map((id) => `'${id}'`).join()
    assert.equal(await count(app.db, 'refusals', `webhook_id in (${ids})`), 24)

    const noisy = newId('webhook')
    for (let n = 0; n < 5; n++) refuse(noisy)
    assert.equal(examined.length, 7, 'one webhook does not use up what is there for all')
  },
)

verifies(
  'verify:doctor',
  'a delivery that is not examined is stored with a reason that says so',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create({ verification: { preset: 'github', secrets: [secret] } })
    await Promise.all(
      Array.from({ length: 20 }, () => app.post(endpointUrl, '{}', signedBy(github, '{}', 'other'))),
    )
    const { items } = await app.test.get<{ items: { reason: string }[] }>(`/api/v1/webhooks/${id}/refusals`)
    const reasons = new Set(items.map(({ reason }) => reason.slice(0, 55)))
    assert.deepEqual(
      reasons,
      new Set([
        'The signature has the right format, but was made with a',
        'The signature or secret is missing or wrong. Too many d',
      ]),
    )
  },
)

type Kept = { id: string; requestKept: boolean; body: string | null; headers: Record<string, string> }

verifies(
  ['verify:check-again', 'hooks:refusals-visible'],
  'a refused delivery is checked again with the secret that was corrected since; its signature and the secret are shown to nobody',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create({
      verification: { preset: 'stripe', secrets: ['mistyped'] },
    })
    const sent = `{"order":"A-1042","note":"${'ü'.repeat(2000)}","mistyped":1}`
    const header = Stripe.webhooks.generateTestHeaderString({ payload: sent, secret })
    assert.equal((await app.post(endpointUrl, sent, { 'stripe-signature': header })).status, 401)
    const { items } = await app.test.get<{ items: Kept[] }>(`/api/v1/webhooks/${id}/refusals`)
    const path = `/api/v1/webhooks/${id}/refusals/${items[0]?.id}`
    assert.equal(items[0]?.requestKept, true)
    const kept = await app.test.get<Kept>(path)
    assert.ok(kept.body?.startsWith('{"order":"A-1042","note":"üü') && Buffer.byteLength(kept.body) <= 2048)
    assert.equal(kept.headers['stripe-signature'], '••••')

    const check = () => app.test.api<{ passes: boolean; reason: string | null }>('POST', `${path}/check`)
    const before = await check()
    assert.equal(before.body.passes, false)
    assert.match(before.body.reason ?? '', /begins with whsec_, and the one configured here does not/)
    await app.test.api('PATCH', `/api/v1/webhooks/${id}`, {
      verification: { preset: 'stripe', secrets: [secret] },
    })
    assert.deepEqual((await check()).body, { passes: true, reason: null })
    // Neither stored in clear nor given to anybody.
    const stored = await sql<{ row: string }>`select to_json(r)::text as row from refusals r`.execute(app.db)
    for (const text of [JSON.stringify(kept), ...stored.rows.map(({ row }) => row)]) {
      assert.ok(!text.includes(header.slice(-32)))
      assert.ok(!text.includes(secret))
    }
    assert.ok(stored.rows.every(({ row }) => !row.includes('A-1042')))
  },
)

verifies(
  'verify:check-again',
  'the requests of the last ten refused deliveries are kept, for a day, until the webhook is deleted; a large body and what a storm sends are not',
  async () => {
    const app = await sharedApp()
    let at = new Date()
    const time = { db: app.db, now: () => at, vault: app.test.app.ctx.vault, onError: assert.fail }
    await using log = openRefusalLog(time, createFailureLimit())
    const webhookId = newId('webhook')
    const request = (body: string) => ({ url: '/hooks/x', rawHeaders: [], body: Buffer.from(body) })
    const refuse = (body = '{}') => log.refused(webhookId, () => ({ ...refusal, request: request(body) }))
    const keeps = () =>
      count(app.db, 'refusals', `webhook_id = '${webhookId}' and sealed_request is not null`)
    refuse()
    refuse()
    await log.flush()
    assert.equal(await keeps(), 1, 'one in a second')
    refuse('x'.repeat(64 * 1024 + 1))
    await log.flush()
    assert.equal(await keeps(), 1)
    for (let n = 0; n < 12; n++) {
      at = new Date(at.getTime() + 1)
      refuse()
      await log.flush()
    }
    assert.equal(await keeps(), 10)
    const prune = (now: Date) => pruneRefusals({ ...app.test.app.ctx, db: app.db, now: () => now })
    await prune(new Date(at.getTime() + 23 * 3_600_000))
    assert.equal(await keeps(), 10)
    await prune(new Date(at.getTime() + 25 * 3_600_000))
    assert.equal(await keeps(), 0)
    assert.equal(await count(app.db, 'refusals', `webhook_id = '${webhookId}'`), 15)

    const { id, endpointUrl } = await app.create()
    await app.post(endpointUrl, '{')
    const { items } = await app.test.get<{ items: Kept[] }>(`/api/v1/webhooks/${id}/refusals`)
    assert.equal((await app.test.get<Kept>(`/api/v1/webhooks/${id}/refusals/${items[0]?.id}`)).body, '{')
    await app.test.api('DELETE', `/api/v1/webhooks/${id}`)
    assert.equal(await count(app.db, 'refusals', `webhook_id = '${id}' and sealed_request is not null`), 0)
  },
)
