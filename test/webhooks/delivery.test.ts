import assert from 'node:assert/strict'
import { eventTransitions, statesBefore } from '../../src/events/inbox/event-transitions.ts'
import { selectHeaders } from '../../src/events/inbox/select-headers.ts'
import { answerHandshake } from '../../src/webhooks/ingress/answer-handshake.ts'
import { findDeliveryId } from '../../src/webhooks/ingress/find-delivery-id.ts'
import { presets } from '../../src/webhooks/verification/presets.ts'
import { verifies } from '../support/verifies.ts'

const delivery = (headers: Record<string, string>, body = '{}') => ({
  rawHeaders: Object.entries(headers).flat(),
  body: Buffer.from(body),
})

verifies(
  'hooks:duplicate-sources',
  'the preset’s own id takes precedence over the well-known headers, a configured one comes last',
  () => {
    const headers = { 'Idempotency-Key': 'a', 'X-GitHub-Delivery': 'b', 'X-Own': 'c' }
    const idOf = (...parameters: Parameters<typeof findDeliveryId>) => findDeliveryId(...parameters)?.value
    assert.equal(idOf(presets.github, null, delivery(headers)), 'b')
    assert.equal(idOf(null, { header: 'X-Own' }, delivery(headers)), 'a')
    assert.equal(idOf(null, { header: 'X-Own' }, delivery({ 'x-own': 'c' })), 'c')
    assert.equal(idOf(null, { pointer: '/a~1b/0' }, delivery({}, '{"a/b":["id-1"]}')), 'id-1')
    assert.equal(idOf(presets.stripe, null, delivery({}, '{"id":"evt_1"}')), 'evt_1')
    assert.equal(idOf(presets.pagerduty, null, delivery({}, '{"event":{"id":42}}')), '42')
    assert.equal(
      idOf(presets.stripe, null, delivery({}, '{"id":12345678901234567890}')),
      '12345678901234567890',
    )
    // GitLab's idempotency key is the same for every retry, its UUID is not.
    const tried = { 'X-Gitlab-Event-UUID': 'new each time', 'Idempotency-Key': 'stays' }
    assert.equal(idOf(presets.gitlab, null, delivery(tried)), 'stays')
    assert.equal(idOf(null, { pointer: '/__proto__/x' }, delivery({}, '{}')), undefined)
    assert.equal(idOf(null, null, delivery({ 'X-Own': 'c' })), undefined)

    // Of the well-known headers the first counts: without it the next one, and so on to the configured one.
    const inOrder = [
      'Idempotency-Key',
      'webhook-id',
      'svix-id',
      'X-GitHub-Delivery',
      'X-Gitlab-Event-UUID',
      'Linear-Delivery',
      'X-Shopify-Webhook-Id',
      'X-Own',
    ]
    for (const [at, name] of inOrder.entries()) {
      const left = Object.fromEntries(inOrder.slice(at).map((header) => [header.toUpperCase(), header]))
      assert.equal(idOf(null, { header: 'X-Own' }, delivery(left)), name)
    }
  },
)

verifies(
  'hooks:duplicate-sources',
  'an id covered by the signature takes precedence over one that is not',
  () => {
    const headers = { 'webhook-id': 'unsigned', 'svix-id': 'signed' }
    const svix = presets.svix.schemes.find((scheme) => scheme.header === 'svix-signature')
    assert.equal(findDeliveryId(presets.svix, null, delivery(headers), svix)?.value, 'signed')
  },
)

verifies('hooks:handshakes', 'a handshake is answered only for the preset whose sender asks it', () => {
  const slack = delivery({}, '{"type":"url_verification","challenge":"abc"}')
  const ping = delivery({ 'X-GitHub-Event': 'ping' })
  const discord = delivery({}, '{"type":1}')
  const answer = (kind: Parameters<typeof answerHandshake>[0], sent: typeof slack) =>
    answerHandshake(kind, sent.rawHeaders, sent.body)
  assert.deepEqual(answer('slack', slack), { body: { challenge: 'abc' } })
  assert.deepEqual(answer('github', ping), { body: { status: 'pong' } })
  assert.deepEqual(answer('discord', discord), { body: { type: 1 } })
  // A URL for Discord's webhook events is pinged with 0, and 1 is an event there.
  assert.deepEqual(answer('discord', delivery({}, '{"version":1,"application_id":"7","type":0}')), {
    body: null,
  })
  const authorized = '{"version":1,"application_id":"7","type":1,"event":{"type":"APPLICATION_AUTHORIZED"}}'
  assert.equal(answer('discord', delivery({}, authorized)), null)
  for (const sent of [slack, ping, discord]) assert.equal(answer(undefined, sent), null)
  assert.equal(answer('github', slack), null)
  assert.equal(answer('discord', delivery({}, '{"type":2}')), null)
})

verifies(
  'hooks:agent-headers',
  'event headers are shown, credentials are not, unless the operator names them',
  () => {
    const headers = {
      'X-GitHub-Event': 'push',
      'X-Gitlab-Event': 'Push Hook',
      'X-Shopify-Topic': 'orders/create',
      'ce-type': 'a.b',
      'User-Agent': 'test',
      'Content-Type': 'application/json',
      Authorization: 'Bearer planted',
      Cookie: 'planted',
      'X-Hub-Signature-256': 'planted',
      'X-Gitlab-Token': 'planted',
      'X-Event-Token': 'planted',
      'X-Other': 'quiet',
      'X-My-Event': 'planted',
    }
    const raw = Object.entries(headers).flat()
    const shown = selectHeaders(raw, [], ['x-my-event'])
    assert.deepEqual(
      { ...shown },
      {
        'x-github-event': 'push',
        'x-gitlab-event': 'Push Hook',
        'x-shopify-topic': 'orders/create',
        'ce-type': 'a.b',
        'user-agent': 'test',
        'content-type': 'application/json',
      },
    )
    const endless = selectHeaders(
      [`X-${'event-'.repeat(5000)}!`, 'a', `X-${'event-'.repeat(20)}event`, 'b'],
      [],
      [],
    )
    assert.deepEqual({ ...endless }, {}, 'no sender has names that long, and to judge them takes long')
    const named = selectHeaders(raw, ['x-gitlab-token', 'x-other'], [])
    assert.equal(named['x-gitlab-token'], 'planted')
    assert.equal(named['x-other'], 'quiet')
    assert.equal(named.authorization, undefined)
  },
)

verifies(
  'events:life',
  'every state is reached only from those that the table names, and an ended event stays as it is',
  () => {
    assert.deepEqual(statesBefore('accepted'), ['dispatched', 'joined'])
    assert.deepEqual(statesBefore('dispatched'), ['accepted'])
    assert.deepEqual(statesBefore('ignored'), ['accepted', 'dispatched'])
    for (const ended of ['done', 'dead', 'ignored'] as const)
      assert.deepEqual(eventTransitions[ended].next, [])
    assert.deepEqual(eventTransitions.failed.next, ['done'])
  },
)
