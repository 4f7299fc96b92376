import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Webhooks } from '@octokit/webhooks'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { verifies } from '../support/verifies.ts'
import { startWebhookApp } from './start-webhook-app.ts'

verifies(
  ['verify:github', 'verify:stripe', 'verify:standard-webhooks', 'hooks:duplicate'],
  'deliveries signed by the senders’ own packages are accepted once, and refused when altered',
  async () => {
    await using app = await startWebhookApp({ quiet: true })
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

verifies(
  'hooks:test-event',
  'the ready code for Node delivers to every webhook that a script can sign for',
  async () => {
    await using app = await startWebhookApp({ quiet: true })
    const folder = await mkdtemp(join(tmpdir(), 'bellhop-snippet-'))
    const secret = Buffer.alloc(24, 1).toString('base64')
    const generic = {
      preset: 'generic',
      algorithm: 'hmac-sha512',
      encoding: 'base64url',
      header: 'X-Sig',
      listKey: 's',
    }
    const verifications = [
      null,
      ...['github', 'gitlab', 'stripe', 'slack', 'standard_webhooks', 'zendesk', 'hubspot', 'shopify'].map(
        (preset) => ({ preset }),
      ),
      { ...generic, timestampListKey: 't', template: '{ts}.{body}' },
      { preset: 'shared_secret', header: 'Authorization', prefix: 'Bearer ' },
    ]
    try {
      for (const settings of verifications) {
        const webhook = await app.create({ verification: settings && { ...settings, secrets: [secret] } })
        const { items } = await app.test.get<{ items: { name: string; text: string }[] }>(
          `/api/v1/webhooks/${webhook.id}/snippets`,
        )
        assert.deepEqual(
          items.map(({ name }) => name),
          ['curl', 'Node', 'Python', 'GitHub Actions'],
        )
        assert.ok(!items.some(({ text }) => text.includes(secret)))
        const masked = (await app.test.get<{ endpointUrl: string }>(`/api/v1/webhooks/${webhook.id}`))
          .endpointUrl
        const script =
          items.find(({ name }) => name === 'Node')?.text.replace(masked, webhook.endpointUrl) ?? ''
        const file = join(folder, 'send.mjs')
        await writeFile(file, script)
        const sender = spawn(process.execPath, [file], {
          env: { WEBHOOK_SECRET: secret },
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        const output: Buffer[] = []
        sender.stdout.on('data', (chunk: Buffer) => output.push(chunk))
        await once(sender, 'close')
        assert.match(
          Buffer.concat(output).toString(),
          /^200 .*"accepted"/,
          `${JSON.stringify(settings)}\n${script}`,
        )
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  },
)
