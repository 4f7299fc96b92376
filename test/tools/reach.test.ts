import assert from 'node:assert/strict'
import type { Reach } from '../../src/tools/contract.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startGateOn } from '../support/start-gate.ts'
import { general, sceneOf } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

verifies(
  'approvals:reach',
  'for a webhook, a schedule and a channel: what the agent can be made to do at worst, with the policies that apply',
  async () => {
    const app = await sharedApp()
    await using _gate = await startGateOn(app)
    const reachOf = async (place: string) => {
      const reach = await app.get<Reach>(`/api/v1/${place}/reach`)
      return { reach, outcomes: Object.fromEntries(reach.tools.map(({ name, outcome }) => [name, outcome])) }
    }
    const webhook = await sceneOf(app).createWebhook({ name: 'Orders' })
    const place = `webhooks/${webhook.id}`
    assert.deepEqual((await reachOf(place)).outcomes, {
      shop__get_order: 'alone',
      shop__refund: 'approve',
      shop__delete_order: 'never',
    })
    const [, , last] = (await reachOf(place)).reach.tools
    assert.match(last?.why ?? '', /may use tools up to write/)

    const policy = await app.api<{ id: string }>('POST', '/api/v1/policies', {
      name: 'Small refunds',
      tool: 'shop__refund',
      when: 'input.amount <= 50',
      then: 'auto',
      for: { requesters: ['webhook'], webhookIds: [webhook.id] },
      cap: { calls: 3, per: 'day' },
    })
    assert.equal(policy.status, 201, policy.text)
    const capped = (await reachOf(place)).reach.tools.find(({ name }) => name === 'shop__refund')
    assert.deepEqual(
      [capped?.outcome, capped?.policies.map(({ name, cap }) => [name, cap?.calls])],
      ['capped', [['Small refunds', 3]]],
    )
    // The policy is about this webhook: not about another one, and not about people.
    const other = await sceneOf(app).createWebhook({ name: 'Other' })
    assert.equal((await reachOf(`webhooks/${other.id}`)).outcomes.shop__refund, 'approve')
    assert.deepEqual((await reachOf(`channels/${general}`)).outcomes, {
      shop__get_order: 'alone',
      shop__refund: 'approve',
      shop__delete_order: 'never',
    })
    await app.api('PATCH', `/api/v1/${place}`, { ceiling: 'destructive' })
    assert.equal((await reachOf(place)).outcomes.shop__delete_order, 'confirm')
    await app.api('PATCH', `/api/v1/${place}`, { ceiling: 'read' })
    assert.equal((await reachOf(place)).outcomes.shop__refund, 'never')
    await app.api('PATCH', `/api/v1/${place}`, { connectorIds: [] })
    const none = await reachOf(place)
    assert.deepEqual([none.reach.tools, none.reach.outOfScope], [[], 3])

    const schedule = await app.api<{ id: string }>('POST', '/api/v1/schedules', {
      name: 'Morning',
      channelId: general,
      prompt: 'Report.',
      cron: '0 8 * * *',
      timeZone: 'UTC',
    })
    assert.equal(schedule.status, 201, schedule.text)
    assert.equal((await reachOf(`schedules/${schedule.body.id}`)).outcomes.shop__refund, 'never')
    await app.api('DELETE', `/api/v1/policies/${policy.body.id}`)

    // In a watched channel, what apps post can reach more than a member.
    const watched = await app.api<{ id: string }>('POST', '/api/v1/channels', { name: 'alerts' })
    const channel = `channels/${watched.body.id}`
    const watch = await app.api('PATCH', `/api/v1/${channel}`, {
      watch: { from: 'all', prompt: 'Look.', ceiling: 'destructive', perHour: 30 },
    })
    assert.equal(watch.status, 200, watch.text)
    assert.equal((await reachOf(channel)).outcomes.shop__delete_order, 'confirm')
    await app.api('PATCH', `/api/v1/${channel}`, { watch: null })
    assert.equal((await reachOf(channel)).outcomes.shop__delete_order, 'never')
    const missing = await app.api('GET', `/api/v1/webhooks/hook_00000000-0000-7000-8000-000000000000/reach`)
    assert.equal(missing.status, 404)
  },
)
