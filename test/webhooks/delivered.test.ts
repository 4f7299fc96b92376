import assert from 'node:assert/strict'
import { Webhooks } from '@octokit/webhooks'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { shareInFile } from '../support/share-in-file.ts'
import { verifies } from '../support/verifies.ts'
import { startWebhookApp } from './start-webhook-app.ts'

const sharedApp = shareInFile(() => startWebhookApp({ quiet: true }))

verifies(
  ['verify:github', 'verify:stripe', 'verify:standard-webhooks', 'hooks:duplicate'],
  'deliveries signed by the senders’ own packages are accepted once, and refused when altered',
  async () => {
    const app = await sharedApp()
    const body = '{"id":"evt_1","object":"event","amount":12345678901234567890}'
    const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
    const time = new Date()
    const senders: Record<string, () => Record<string, string> | Promise<Record<string, string>>> = {
      github: async () => ({
        'x-hub-signature-256': await new Webhooks({ secret }).sign(body),
        'x-github-delivery': 'd1',
        'x-github-event': 'push',
      }),
      stripe: () => ({
        'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload: body, secret }),
      }),
      standard_webhooks: () => ({
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(time.getTime() / 1000)),
        'webhook-signature': new StandardWebhook(secret).sign('msg_1', time, body),
      }),
    }
    for (const [preset, sign] of Object.entries(senders)) {
      const { endpointUrl } = await app.create({ verification: { preset, secrets: [secret] } })
      const headers = await sign()
      const first = await app.post(endpointUrl, body, headers)
      assert.equal(first.body.status, 'accepted', preset)
      assert.equal((await app.post(endpointUrl, body, headers)).body.status, 'duplicate', preset)
      assert.equal((await app.post(endpointUrl, `${body} `, headers)).status, 401, preset)
    }
  },
)
