import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync } from 'node:crypto'
import { shareInFile } from '../support/share-in-file.ts'
import { verifies } from '../support/verifies.ts'
import { startWebhookApp } from './start-webhook-app.ts'

const sharedApp = shareInFile(() => startWebhookApp({ quiet: true }))

verifies(
  'hooks:test-event',
  'a test event is no delivery: it can be sent again, and the event that it is a copy of is still accepted',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create({ verification: { preset: 'stripe', secrets: ['whsec_x'] } })
    const body = { id: 'evt_real_1', type: 'charge.failed' }
    const test = async () =>
      (await app.test.api<{ status: string }>('POST', `/api/v1/webhooks/${id}/test`, { body })).body.status
    assert.deepEqual([await test(), await test()], ['accepted', 'accepted'])

    const raw = JSON.stringify(body)
    const time = Math.floor(Date.now() / 1000)
    const signature = createHmac('sha256', 'whsec_x').update(`${time}.${raw}`).digest('hex')
    const deliver = async () =>
      (await app.post(endpointUrl, raw, { 'stripe-signature': `t=${time},v1=${signature}` })).body.status
    assert.deepEqual([await deliver(), await deliver(), await test()], ['accepted', 'duplicate', 'accepted'])
  },
)

verifies(
  'hooks:test-event',
  'a test event is signed whichever headers the scheme names, however they are spelled',
  async () => {
    const app = await sharedApp()
    const generic = { preset: 'generic', secrets: ['k'] }
    for (const verification of [
      { ...generic, template: '{header:Content-Type}.{body}' },
      { ...generic, template: '{header:X-Id}.{header:x-id}.{body}' },
      { ...generic, header: 'User-Agent' },
      { ...generic, template: '{ts}.{body}', timestampHeader: 'User-Agent' },
      { ...generic, algorithm: 'equality', header: 'User-Agent' },
    ]) {
      const { id } = await app.create({ verification })
      const { status, text, body } = await app.test.api<{ eventId: string }>(
        'POST',
        `/api/v1/webhooks/${id}/test`,
      )
      assert.equal(status, 200, text)
      const event = await app.test.get<{ verification: string }>(`/api/v1/events/${body.eventId}`)
      assert.equal(event.verification, 'verified', JSON.stringify(verification))
    }
  },
)

verifies(
  'hooks:test-event',
  'a test event needs no signature where just the sender has the key',
  async () => {
    const app = await sharedApp()
    const key = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
    const { id } = await app.create({
      verification: { preset: 'standard_webhooks', secrets: [`whpk_${key.toString('base64')}`] },
    })
    const { body } = await app.test.api<{ eventId: string }>('POST', `/api/v1/webhooks/${id}/test`)
    const event = await app.test.get<{ verification: string }>(`/api/v1/events/${body.eventId}`)
    assert.equal(event.verification, 'test')
  },
)
