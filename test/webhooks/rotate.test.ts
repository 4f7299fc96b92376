import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { shareInFile } from '../support/share-in-file.ts'
import { verifies } from '../support/verifies.ts'
import { startWebhookApp, type WebhookApp } from './start-webhook-app.ts'

const sharedApp = shareInFile(() => startWebhookApp({ quiet: true }))

type Shown = { endpointUrl: string; formerUrls: { endpointUrl: string; lastUsedFrom: string | null }[] }

async function rotate(app: WebhookApp, id: string, overlapSeconds?: number): Promise<string> {
  const { body } = await app.test.api<Shown>('POST', `/api/v1/webhooks/${id}/rotate`, { overlapSeconds })
  return body.endpointUrl
}

async function reveal(app: WebhookApp, id: string): Promise<string> {
  return (await app.test.api<Shown>('POST', `/api/v1/webhooks/${id}/reveal`)).body.endpointUrl
}

verifies(
  'hooks:rotate-in-place',
  'however the times of creation are, the new URL is revealed and shown as the current one, and the use of the former one is recorded',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl: former } = await app.create()
    await sql`
      update webhook_tokens set created_at = now() + interval '1 hour' where webhook_id = ${id}`.execute(
      app.db,
    )
    const current = await rotate(app, id, 600)
    assert.equal(await reveal(app, id), current)

    assert.equal((await app.post(former, '{}')).status, 200)
    await app.test.app.ctx.webhooks.flush()
    const shown = await app.test.get<Shown>(`/api/v1/webhooks/${id}`)
    assert.equal(shown.endpointUrl.slice(-4), current.slice(-4))
    assert.deepEqual(
      shown.formerUrls.map(({ endpointUrl, lastUsedFrom }) => [endpointUrl.slice(-4), lastUsedFrom]),
      [[former.slice(-4), '127.0.0.1']],
    )
  },
)

verifies(
  'hooks:rotate-in-place',
  'after rotations at the same moment, the URL that is revealed is the one that works',
  async () => {
    const app = await sharedApp()
    for (let n = 0; n < 8; n++) {
      const { id } = await app.create()
      await Promise.all([rotate(app, id), rotate(app, id), rotate(app, id)])
      assert.equal((await app.post(await reveal(app, id), '{}')).status, 200)
    }
  },
)

for (const [says, off] of [
  ['ahead', 86_400_000],
  ['behind', -86_400_000],
] as const) {
  verifies(
    'hooks:rotate-in-place',
    `a former URL works until its time is over, and no longer, where our clock is a day ${says}`,
    async () => {
      await using app = await startWebhookApp({ quiet: true, now: () => new Date(Date.now() + off) })
      const { id, endpointUrl: former } = await app.create()
      await rotate(app, id, 600)
      assert.equal((await app.post(former, '{}')).status, 200)
      await sql`update webhook_tokens set expires_at = now() where expires_at is not null`.execute(app.db)
      // A change makes the ingress look again.
      await app.test.api('PATCH', `/api/v1/webhooks/${id}`, { name: 'Renamed' })
      assert.equal((await app.post(former, '{}')).status, 404)
    },
  )
}
