import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { Secret } from '../../src/platform/secret.ts'
import type { VerificationSettings } from '../../src/webhooks/contract.ts'
import { diagnoseDelivery } from '../../src/webhooks/verification/diagnose-delivery.ts'
import { resolveSchemes } from '../../src/webhooks/verification/resolve-schemes.ts'
import { signDelivery } from '../../src/webhooks/verification/sign-delivery.ts'
import { verifyDelivery } from '../../src/webhooks/verification/verify-delivery.ts'
import { verifies } from '../support/verifies.ts'

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
const body = '{ "a": 1, "ü": [1, 2] }'

const cases: [string, Case, RegExp][] = [
  ['a missing header', { settings: github, headers: {}, body }, /X-Hub-Signature-256 is missing/],
  [
    'a missing header beside a similar one',
    { settings: github, headers: { 'X-My-Signature': 'abc' }, body },
    /came with X-My-Signature instead/,
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
    /JSON was written anew/,
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
    /written as hex-upper/,
  ],
  [
    'another sender with the right secret',
    { settings: { preset: 'stripe' }, headers: signedBy(github, body), body },
    /signed the way GitHub does it, and the secret is right, but this webhook is set to Stripe/,
  ],
  [
    'another sender with another secret',
    { settings: { preset: 'stripe' }, headers: signedBy(github, body, 'other'), body },
    /looks like one of GitHub, but this webhook is set to Stripe/,
  ],
  [
    'a delivery that is too old',
    {
      settings: { preset: 'slack' },
      headers: signedBy({ preset: 'slack' }, body),
      body,
      at: new Date(now.getTime() + 412_000),
    },
    /right, but it is 412 s old \(300 s are allowed\)/,
  ],
  [
    'a clock that runs ahead',
    {
      settings: { preset: 'slack' },
      headers: signedBy({ preset: 'slack' }, body),
      body,
      at: new Date(now.getTime() - 900_000),
    },
    /lies 900 s in the future/,
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
    'a header of another form',
    { settings: github, headers: { 'X-Hub-Signature-256': 'deadbeef' }, body },
    /does not look like GitHub writes it: X-Hub-Signature-256: sha256=<hex>/,
  ],
]

for (const [what, given, words] of cases) {
  verifies('verify:doctor', `the diagnosis recognises ${what}`, () => {
    assert.match(doctorSays(given), words)
  })
}

verifies('verify:doctor', 'a long body is not hashed again for every preset', () => {
  const long = `"${'x'.repeat(200_000)}"`
  const sentry = { preset: 'sentry' } as const
  const says = (sent: string) => doctorSays({ settings: github, headers: signedBy(sentry, sent), body: sent })
  assert.match(says('{}'), /signed the way Sentry does it, and the secret is right/)
  assert.match(says(long), /looks like one of Sentry/)
})
