import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { verifies } from '../support/verifies.ts'
import { startWebhookApp } from './start-webhook-app.ts'

verifies(
  'hooks:test-event',
  'a test event is no delivery: it can be sent again, and the event that it is a copy of is still accepted',
  async () => {
    await using app = await startWebhookApp({ quiet: true })
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
