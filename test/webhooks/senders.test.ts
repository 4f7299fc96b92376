import assert from 'node:assert/strict'
import { createHash, createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { verifySlackSignature } from '@chat-adapter/slack/webhook'
import { Webhooks } from '@octokit/webhooks'
import { verifyKey } from 'discord-interactions'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import twilio from 'twilio'
import { Secret } from '../../src/platform/secret.ts'
import type { PresetName, VerificationSettings } from '../../src/webhooks/contract.ts'
import { resolveSchemes } from '../../src/webhooks/verification/resolve-schemes.ts'
import { verifyDelivery } from '../../src/webhooks/verification/verify-delivery.ts'
import { verifies } from '../support/verifies.ts'

const now = new Date('2026-11-15T12:00:00Z')
const seconds = String(now.getTime() / 1000)
const body = '{"id":"evt_1","big":12345678901234567890,  "text":"Grüße"}'
const url = 'https://bellhop.example.com/hooks/whk_abc'

function accepts(
  settings: VerificationSettings,
  secret: string | string[],
  headers: Record<string, string>,
  options: { body?: string | Buffer; url?: string } = {},
): boolean {
  return verifyDelivery(
    resolveSchemes(settings),
    [secret].flat().map((text) => new Secret(text)),
    {
      method: 'POST',
      url: options.url ?? url,
      rawHeaders: Object.entries(headers).flat(),
      body: Buffer.from(options.body ?? body),
    },
    now,
  ).verified
}

verifies('verify:github', 'what GitHub’s own package signs is accepted', async () => {
  const signature = await new Webhooks({ secret: 'a secret' }).sign(body)
  assert.ok(accepts({ preset: 'github' }, 'a secret', { 'X-Hub-Signature-256': signature }))
  assert.ok(!accepts({ preset: 'github' }, 'another secret', { 'X-Hub-Signature-256': signature }))
})

verifies('verify:stripe', 'what Stripe’s own package signs is accepted', () => {
  const header = Stripe.webhooks.generateTestHeaderString({
    payload: body,
    secret: 'whsec_test',
    timestamp: Number(seconds),
  })
  assert.ok(accepts({ preset: 'stripe' }, 'whsec_test', { 'Stripe-Signature': header }))
  assert.ok(!accepts({ preset: 'stripe' }, 'test', { 'Stripe-Signature': header }))
})

verifies('verify:standard-webhooks', 'what the package of Standard Webhooks signs is accepted', () => {
  const secret = `whsec_${randomBytes(24).toString('base64')}`
  const signature = new StandardWebhook(secret).sign('msg_1', now, body)
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': seconds, 'webhook-signature': signature }
  assert.ok(accepts({ preset: 'standard_webhooks' }, secret, headers))
  assert.ok(
    accepts({ preset: 'standard_webhooks' }, secret, {
      ...headers,
      'webhook-signature': `v1,AAAA ${signature}`,
    }),
  )
})

verifies('verify:standard-webhooks', 'what Svix’s own package signs is accepted', () => {
  const secret = `whsec_${randomBytes(24).toString('base64')}`
  const signature = new SvixWebhook(secret).sign('msg_1', now, body)
  const headers = { 'svix-id': 'msg_1', 'svix-timestamp': seconds, 'svix-signature': signature }
  assert.ok(accepts({ preset: 'svix' }, secret, headers))
})

verifies('verify:standard-webhooks', 'an asymmetric v1a signature is accepted with the public key', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  const signature = sign(null, Buffer.from(`msg_1.${seconds}.${body}`), privateKey).toString('base64')
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': seconds,
    'webhook-signature': `v1a,${signature}`,
  }
  const secret = `whpk_${raw.toString('base64')}`
  assert.ok(accepts({ preset: 'standard_webhooks' }, secret, headers))
  // Two, while the sender changes its key. Each further one would cost a pass over the whole body.
  const wrong = `v1a,${Buffer.alloc(64).toString('base64')}`
  const signed = (...list: string[]) => ({ ...headers, 'webhook-signature': list.join(' ') })
  assert.ok(accepts({ preset: 'standard_webhooks' }, secret, signed(wrong, `v1a,${signature}`)))
  assert.ok(!accepts({ preset: 'standard_webhooks' }, secret, signed(wrong, wrong, `v1a,${signature}`)))
  // Of two families of headers either will do, until as many checks have failed as one family may need.
  const svix = { 'svix-id': 'msg_1', 'svix-timestamp': seconds, 'svix-signature': `v1a,${signature}` }
  const secrets = [`whpk_${randomBytes(32).toString('base64')}`, secret]
  assert.ok(accepts({ preset: 'standard_webhooks' }, secrets, { ...signed(wrong), ...svix }))
  assert.ok(!accepts({ preset: 'standard_webhooks' }, secrets, { ...signed(wrong, wrong), ...svix }))
  assert.ok(!accepts({ preset: 'standard_webhooks' }, secret, { ...headers, 'webhook-id': 'msg_2' }))
  // A public key is public: an HMAC made with it proves nothing.
  const forged = createHmac('sha256', raw).update(`msg_1.${seconds}.${body}`).digest('base64')
  assert.ok(
    !accepts({ preset: 'standard_webhooks' }, secret, { ...headers, 'webhook-signature': `v1,${forged}` }),
  )
})

verifies('verify:slack', 'what the Slack package accepts is accepted', async () => {
  const signature = `v0=${createHmac('sha256', 'slack').update(`v0:${seconds}:${body}`).digest('hex')}`
  const headers = { 'X-Slack-Signature': signature, 'X-Slack-Request-Timestamp': seconds }
  const clock = { signingSecret: 'slack', now: () => now.getTime() }
  await verifySlackSignature(body, new Headers(headers), clock)
  assert.ok(accepts({ preset: 'slack' }, 'slack', headers))
})

verifies('verify:twilio', 'what Twilio’s own package signs is accepted, as a form and as JSON', () => {
  const form = 'To=%2B15550001&Body=hello+w%C3%B6rld&MediaUrl=b&MediaUrl=a&Empty='
  const params = { To: '+15550001', Body: 'hello wörld', MediaUrl: ['b', 'a'], Empty: '' }
  const formSignature = twilio.getExpectedTwilioSignature('token', url, params)
  const formHeaders = {
    'X-Twilio-Signature': formSignature,
    'Content-Type': 'application/x-www-form-urlencoded',
  }
  assert.ok(accepts({ preset: 'twilio' }, 'token', formHeaders, { body: form }))
  assert.ok(!accepts({ preset: 'twilio' }, 'token', formHeaders, { body: `${form}x` }))
  // No form of theirs is empty or too long to be sorted, whatever the signature.
  const none = { ...formHeaders, 'X-Twilio-Signature': twilio.getExpectedTwilioSignature('token', url, {}) }
  assert.ok(!accepts({ preset: 'twilio' }, 'token', none, { body: '&' }))
  assert.ok(!accepts({ preset: 'twilio' }, 'token', none, { body: '&'.repeat(1_000) }))

  const signedUrl = `${url}?bodySHA256=${createHash('sha256').update(body).digest('hex')}`
  const jsonSignature = twilio.getExpectedTwilioSignature('token', signedUrl, {})
  assert.ok(twilio.validateRequestWithBody('token', jsonSignature, signedUrl, body))
  const jsonHeaders = { 'X-Twilio-Signature': jsonSignature, 'Content-Type': 'application/json' }
  assert.ok(accepts({ preset: 'twilio' }, 'token', jsonHeaders, { url: signedUrl }))
  assert.ok(!accepts({ preset: 'twilio' }, 'token', jsonHeaders, { url: signedUrl, body: '{}' }))
  // The signature covers the URL alone, so a captured delivery must not pass with another body as a form.
  const asForm = { ...jsonHeaders, 'Content-Type': 'application/x-www-form-urlencoded' }
  for (const other of ['&', '=', '', 'Body=hello'])
    assert.ok(!accepts({ preset: 'twilio' }, 'token', asForm, { url: signedUrl, body: other }), other)
  const bare = { ...jsonHeaders, 'X-Twilio-Signature': twilio.getExpectedTwilioSignature('token', url, {}) }
  assert.ok(!accepts({ preset: 'twilio' }, 'token', bare), 'a URL without the hash does not cover the body')
})

verifies('verify:discord', 'what Discord’s own package accepts is accepted', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex')
  const signature = sign(null, Buffer.from(seconds + body), privateKey).toString('hex')
  assert.ok(await verifyKey(body, signature, seconds, key))
  const headers = { 'X-Signature-Ed25519': signature, 'X-Signature-Timestamp': seconds }
  assert.ok(accepts({ preset: 'discord' }, key, headers))
})

const hex = (algorithm: string, text: string) => createHmac(algorithm, 'key').update(text).digest('hex')
const base64 = (algorithm: string, text: string) => createHmac(algorithm, 'key').update(text).digest('base64')
const iso = now.toISOString()
const linearBody = JSON.stringify({ action: 'create', webhookTimestamp: now.getTime() })

/** Senders without a package that signs: written out by the sender's own description. */
const described: [Parameters<typeof verifies>[0], PresetName, Record<string, string>, string?][] = [
  ['verify:gitlab', 'gitlab', { 'X-Gitlab-Token': 'key' }],
  ['verify:shopify', 'shopify', { 'X-Shopify-Hmac-Sha256': base64('sha256', body) }],
  ['verify:shopify', 'shopify', { 'Shopify-Hmac-Sha256': base64('sha256', body) }],
  ['verify:linear', 'linear', { 'Linear-Signature': hex('sha256', linearBody) }, linearBody],
  [
    'verify:pagerduty',
    'pagerduty',
    { 'X-PagerDuty-Signature': `v1=${'0'.repeat(64)},v1=${hex('sha256', body)}` },
  ],
  ['verify:sentry', 'sentry', { 'Sentry-Hook-Signature': hex('sha256', body) }],
  ['verify:grafana', 'grafana', { 'X-Grafana-Alerting-Signature': hex('sha256', body) }],
  [
    'verify:zendesk',
    'zendesk',
    {
      'X-Zendesk-Webhook-Signature': base64('sha256', iso + body),
      'X-Zendesk-Webhook-Signature-Timestamp': iso,
    },
  ],
  [
    'verify:hubspot',
    'hubspot',
    {
      'X-HubSpot-Signature-V3': base64('sha256', `POST${url}${body}${now.getTime()}`),
      'X-HubSpot-Request-Timestamp': String(now.getTime()),
    },
  ],
  ['verify:intercom', 'intercom', { 'X-Hub-Signature': `sha1=${hex('sha1', body)}` }],
  ['verify:atlassian', 'jira', { 'X-Hub-Signature': `sha256=${hex('sha256', body)}` }],
  ['verify:atlassian', 'bitbucket', { 'X-Hub-Signature': `sha256=${hex('sha256', body)}` }],
  ['verify:shared-secret', 'shared_secret', { 'X-Webhook-Secret': 'key' }],
]

for (const [requirement, preset, headers, sent = body] of described) {
  verifies(
    requirement,
    `a delivery signed like ${preset} does is accepted, with another secret it is not`,
    () => {
      assert.ok(accepts({ preset }, 'key', headers, { body: sent }))
      assert.ok(!accepts({ preset }, 'kez', headers, { body: sent }))
      assert.ok(!accepts({ preset }, 'key', {}, { body: sent }))
    },
  )
}

verifies('verify:gitlab', 'a delivery that GitLab signs with a signing token is accepted', () => {
  const token = `whsec_${randomBytes(32).toString('base64')}`
  const headers = {
    'X-Gitlab-Event': 'Push Hook',
    'webhook-id': 'f5e5f430-f57b-4e6e-9fac-d9128cd7232f',
    'webhook-timestamp': seconds,
    'webhook-signature': new StandardWebhook(token).sign('f5e5f430-f57b-4e6e-9fac-d9128cd7232f', now, body),
  }
  assert.ok(accepts({ preset: 'gitlab' }, token, headers))
  assert.ok(!accepts({ preset: 'gitlab' }, token, headers, { body: `${body} ` }))
  assert.ok(!accepts({ preset: 'gitlab' }, token, { ...headers, 'webhook-id': 'another' }))
  assert.ok(accepts({ preset: 'gitlab' }, token, { 'X-Gitlab-Token': token }), 'as a secret token')
})

verifies('verify:grafana', 'Grafana’s timestamp and another header name are taken when configured', () => {
  const settings: VerificationSettings = { preset: 'grafana', header: 'X-Sig', timestampHeader: 'X-Sig-Time' }
  const headers = { 'X-Sig': hex('sha256', `${seconds}:${body}`), 'X-Sig-Time': seconds }
  assert.ok(accepts(settings, 'key', headers))
  assert.ok(!accepts(settings, 'key', { ...headers, 'X-Sig-Time': String(Number(seconds) - 301) }))
})

verifies('verify:published-vectors', 'the vectors of GitHub and Standard Webhooks are accepted', () => {
  const github = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
  assert.ok(
    accepts(
      { preset: 'github' },
      "It's a Secret to Everybody",
      { 'X-Hub-Signature-256': github },
      { body: 'Hello, World!' },
    ),
  )
  const verdict = verifyDelivery(
    resolveSchemes({ preset: 'standard_webhooks' }),
    [new Secret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')],
    {
      method: 'POST',
      url,
      rawHeaders: [
        'webhook-id',
        'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp',
        '1614265330',
        'webhook-signature',
        'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      ],
      body: Buffer.from('{"test": 2432232314}'),
    },
    new Date(1614265330_000),
  )
  assert.ok(verdict.verified)
})
