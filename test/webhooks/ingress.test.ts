import assert from 'node:assert/strict'
import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { sql } from 'kysely'
import { hashToken } from '../../src/platform/crypto/token.ts'
import { createLog } from '../../src/platform/log.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { countEvents, post, startWebhookApp } from './start-webhook-app.ts'

const sharedApp = shareInFile(() => startWebhookApp({ quiet: true }))

verifies(
  ['hooks:accepted', 'hooks:token-triggers'],
  'an accepted event answers 200 with its ids and is in the ledger',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create()
    const { status, body } = await app.post(endpointUrl, '{"a":1}')
    assert.equal(status, 200)
    assert.equal(body.status, 'accepted')
    assert.match(body.eventId ?? '', /^evt_/)
    assert.match(body.runId ?? '', /^run_/)
    const [event] = await app.events(`?webhookId=${id}`)
    assert.deepEqual([event?.id, event?.runId, event?.status], [body.eventId, body.runId, 'accepted'])
  },
)

verifies('verify:off-by-default', 'without verification a delivery needs no signature', async () => {
  const app = await sharedApp()
  const webhook = await app.create()
  assert.equal(webhook.verification, null)
  assert.equal((await app.post(webhook.endpointUrl, '{}')).status, 200)
})

verifies(
  ['hooks:token-format', 'hooks:token-looked-up-by-hash'],
  'a token is 32 random bytes, stored as a hash and sealed, never in clear',
  async () => {
    const app = await sharedApp()
    const [first, second] = [await app.create(), await app.create()]
    const tokens = [first, second].map(({ endpointUrl }) => endpointUrl.split('/hooks/')[1] ?? '')
    for (const token of tokens) assert.match(token, /^whk_[A-Za-z0-9_-]{43}$/)
    assert.notEqual(tokens[0], tokens[1])
    const { rows } = await sql<{
      hash: string
      sealed: string
    }>`select hash, sealed from webhook_tokens where webhook_id in (${first.id}, ${second.id})`.execute(
      app.db,
    )
    assert.deepEqual(rows.map(({ hash }) => hash).sort(), tokens.map(hashToken).sort())
    for (const { sealed } of rows) assert.ok(!tokens.some((token) => sealed.includes(token)))
  },
)

verifies(
  'hooks:any-json-value',
  'any JSON value is accepted, scalars, null and a byte order mark included',
  async () => {
    const app = await sharedApp()
    const { endpointUrl } = await app.create()
    for (const body of ['null', '0', '"x"', 'true', '[]', '{}', '\ufeff{"a":1}', ' {"a":1} \n']) {
      assert.equal((await app.post(endpointUrl, body)).status, 200, body)
    }
  },
)

verifies(
  'hooks:malformed-400',
  'malformed, empty, too deep and not UTF-8 answer 400 as a problem',
  async () => {
    const app = await sharedApp()
    const { endpointUrl } = await app.create()
    const bodies = [
      '',
      ' ',
      '{',
      '{"a":1}}',
      'NaN',
      "{'a':1}",
      '['.repeat(129) + ']'.repeat(129),
      Buffer.from([0x22, 0xff, 0x22]),
    ]
    for (const sent of bodies) {
      const { status, headers, body } = await app.post(endpointUrl, sent)
      assert.equal(status, 400, String(sent).slice(0, 20))
      assert.equal(headers.get('content-type'), 'application/problem+json')
      assert.deepEqual(Object.keys(body), ['type', 'title', 'status', 'detail', 'instance'])
    }
    assert.equal((await app.post(endpointUrl, '['.repeat(128) + ']'.repeat(128))).status, 200)
  },
)

verifies(
  'hooks:malformed-400',
  'the usual mistakes of scripts that write JSON by hand are named, with their place and without the body',
  async () => {
    const app = await sharedApp()
    const { endpointUrl } = await app.create()
    const mistakes: [body: string | Buffer, words: RegExp][] = [
      ['{"disk":"/dev/sda1\n/dev/sdb1"}', /byte 18 is a line break inside a string\. Write it as \\n/],
      ['{"disk":"/dev/sda1\t9%"}', /byte 18 is a tab inside a string\. Write it as \\t/],
      ['{"path":"C:\\Windows"}', /the backslash at byte 11 does not start a valid escape sequence/],
      ['{"says":"the "best" one"}', /byte 14 follows the end of a string/],
      ["{'a':1}", /byte 1 is a single quotation mark/],
      ['{"a":1,}', /the comma before byte 7 has no value after it/],
      ['{"a":$COUNT}', /byte 5 starts a word without quotation marks/],
      ['{"a":"b', /it ends in the middle of a string/],
      ['{"a":[1', /it ends before all objects and arrays are closed/],
      [Buffer.from('{"a":1}', 'utf16le'), /byte 1 is zero\. It is probably UTF-16/],
      ['[1 2]', /byte 3 is unexpected/],
    ]
    for (const [sent, words] of mistakes) {
      const { status, body } = await app.post(endpointUrl, sent)
      assert.equal(status, 400)
      assert.match(String(body.detail), words)
    }
  },
)

verifies(
  ['hooks:unknown-404', 'hooks:inactive-404', 'hooks:deleted-410'],
  'unknown, inactive and deleted webhooks are distinguished and start nothing',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create({ active: false })
    const typeOf = async (url: string) => {
      const { status, body } = await app.post(url, '{}')
      return `${status} ${body.type}`
    }
    assert.equal(await typeOf(endpointUrl), '404 webhook-inactive')
    assert.equal(
      await typeOf(`${endpointUrl.slice(0, -1)}${endpointUrl.endsWith('A') ? 'B' : 'A'}`),
      '404 webhook-not-found',
    )
    for (const path of ['/hooks/', '/hooks/x', '/hooks/whk_', `/hooks/${'a'.repeat(47)}`, '/hooks/%00']) {
      assert.equal(await typeOf(new URL(path, app.test.url).href), '404 webhook-not-found', path)
    }
    await app.test.api('DELETE', `/api/v1/webhooks/${id}`)
    assert.equal(await typeOf(endpointUrl), '410 webhook-deleted')
    assert.equal(await countEvents(app, id), 0)
  },
)

verifies(
  'hooks:method-405',
  'every other method answers 405 with Allow: POST, whatever the token',
  async () => {
    const app = await sharedApp()
    const { endpointUrl } = await app.create()
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']) {
      for (const url of [endpointUrl, new URL('/hooks/whk_unknown', app.test.url).href]) {
        const response = await fetch(url, { method })
        assert.deepEqual([method, response.status, response.headers.get('allow')], [method, 405, 'POST'])
      }
    }
  },
)

verifies('hooks:too-large-413', 'one byte over the limit answers 413, the limit itself 200', async () => {
  const app = await sharedApp()
  const { endpointUrl } = await app.create()
  const ofSize = (bytes: number) => `"${'x'.repeat(bytes - 2)}"`
  assert.equal((await app.post(endpointUrl, ofSize(1024 * 1024))).status, 200)
  const tooLarge = await app.post(endpointUrl, ofSize(1024 * 1024 + 1))
  assert.equal(tooLarge.status, 413)
  assert.match(tooLarge.body.detail ?? '', /larger than 1 MB, the limit of this webhook/)
  const small = await app.create({ maxBodyBytes: 10 })
  assert.equal((await app.post(small.endpointUrl, ofSize(10))).status, 200)
  assert.equal((await app.post(small.endpointUrl, ofSize(11))).status, 413)
})

verifies(
  'hooks:media-type-415',
  'every JSON media type is accepted, a missing type is tried as JSON, anything else answers 415',
  async () => {
    const app = await sharedApp()
    const { endpointUrl } = await app.create()
    const status = async (headers: Record<string, string>) =>
      (await app.post(endpointUrl, '{}', headers)).status
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/cloudevents+json',
      'application/problem+json',
    ]) {
      assert.equal(await status({ 'content-type': type }), 200, type)
    }
    for (const type of [
      'text/plain',
      'text/json',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'json',
    ]) {
      assert.equal(await status({ 'content-type': type }), 415, type)
    }
    assert.equal(await status({ 'content-encoding': 'gzip' }), 415)
    assert.equal(await status({ 'content-encoding': 'identity' }), 200)
    const untyped = await app.raw(
      `POST ${new URL(endpointUrl).pathname} HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`,
    )
    assert.match(untyped, /^HTTP\/1\.1 200 /)
  },
)

verifies(
  'hooks:form-payload',
  'a form is accepted only for presets whose sender uses it, and the agent gets the JSON inside',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create({ verification: { preset: 'github', secrets: ['s'] } })
    const sent = `payload=${encodeURIComponent('{"big":12345678901234567890}')}`
    const send = (body: string) =>
      app.post(endpointUrl, body, {
        'content-type': 'application/x-www-form-urlencoded',
        'x-hub-signature-256': `sha256=${createHmac('sha256', 's').update(body).digest('hex')}`,
      })
    const accepted = await send(sent)
    assert.equal(accepted.status, 200)
    assert.equal((await send('payload=%7B')).status, 400)
    assert.equal((await send('other=1')).status, 400)
    // Half a million fields would take seconds to parse.
    const many = await send(`${'a&'.repeat(500_000)}${sent}`)
    assert.equal(many.status, 400)
    assert.match(JSON.stringify(many.body), /too many fields/)
    const { rows } = await sql<{ body: Buffer; payload: Buffer }>`
      select body, payload from events where source_id = ${id}`.execute(app.db)
    assert.equal(rows[0]?.body.toString(), sent)
    assert.equal(rows[0]?.payload.toString(), '{"big":12345678901234567890}')
  },
)

verifies(
  'hooks:form-payload',
  'a slash command of Slack, whose form has no payload, is refused with a hint where such commands belong',
  async () => {
    const app = await sharedApp()
    const { endpointUrl } = await app.create({ verification: { preset: 'slack', secrets: ['s'] } })
    const body = 'token=t&command=%2Fbell&text=hello&user_id=U1&response_url=https%3A%2F%2Fexample.com'
    const ts = String(Math.floor(Date.now() / 1000))
    const refused = await app.post(endpointUrl, body, {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': ts,
      'x-slack-signature': `v0=${createHmac('sha256', 's').update(`v0:${ts}:${body}`).digest('hex')}`,
    })
    assert.equal(refused.status, 400)
    assert.match(JSON.stringify(refused.body), /slash command.*Events API/)
  },
)

verifies(
  ['http:request-id', 'http:mute-500', 'http:no-echo', 'http:security-headers'],
  'a refusal has the id of its log line, echoes nothing of what was sent, and is safe in a browser',
  async () => {
    const lines: Record<string, unknown>[] = []
    const log = await createLog({
      level: 'info',
      pretty: false,
      destination: { write: (line: string) => void lines.push(JSON.parse(line)) },
    })
    await using app = await startWebhookApp({ quiet: true, log })
    const { id, endpointUrl } = await app.create()
    const planted = 'planted-by-the-sender'
    const token = endpointUrl.split('/hooks/')[1] ?? ''
    const refused = async (status: number) => {
      const answer = await app.post(endpointUrl, `{"${planted}":`, { 'x-api-key': planted })
      const text = JSON.stringify([answer.body, ...answer.headers])
      assert.equal(answer.status, status)
      assert.ok(!text.includes(planted) && !text.includes(token), text)
      assert.match(answer.headers.get('x-request-id') ?? '', /^req_/)
      assert.equal(answer.body.instance, answer.headers.get('x-request-id'))
      assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/)
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
      return lines.find(({ requestId }) => requestId === answer.body.instance)
    }
    assert.partialDeepStrictEqual(await refused(400), { msg: 'delivery.refused', webhookId: id })

    app.test.app.ctx.webhooks.urlCache.find = () => assert.fail('as a fault of ours would be')
    assert.partialDeepStrictEqual(await refused(500), {
      msg: 'delivery.failed',
      err: { message: 'as a fault of ours would be' },
    })
    assert.ok(!JSON.stringify(lines).includes(token))
  },
)

verifies(
  'hooks:unverified-401',
  'the sender learns nothing from a 401, the operator reads the reason',
  async () => {
    const app = await sharedApp()
    const secret = 'planted-secret-value'
    const { id, endpointUrl } = await app.create({ verification: { preset: 'github', secrets: [secret] } })
    const missing = await app.post(endpointUrl, '{}')
    const wrong = await app.post(endpointUrl, '{}', { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` })
    assert.deepEqual([missing.status, wrong.status], [401, 401])
    assert.equal(missing.body.detail, wrong.body.detail)
    const refusals = await app.test.get<{ items: { reason: string; status: number }[] }>(
      `/api/v1/webhooks/${id}/refusals`,
    )
    assert.match(refusals.items[1]?.reason ?? '', /X-Hub-Signature-256 is missing/)
    assert.match(refusals.items[0]?.reason ?? '', /another secret/)
    assert.ok(!JSON.stringify(refusals).includes(secret))
    assert.equal(await countEvents(app, id), 0)
  },
)

verifies(
  'verify:shared-secret',
  'a shared secret is checked by the server and does not reach the event',
  async () => {
    const app = await sharedApp()
    const { id, endpointUrl } = await app.create({
      verification: { preset: 'shared_secret', header: 'X-Custom-Event', secrets: ['the shared secret'] },
    })
    assert.equal((await app.post(endpointUrl, '{}')).status, 401)
    assert.equal((await app.post(endpointUrl, '{}', { 'x-custom-event': 'wrong' })).status, 401)
    assert.equal((await app.post(endpointUrl, '{}', { 'x-custom-event': 'the shared secret' })).status, 200)
    const { rows } = await sql<{ headers: object }>`
      select headers from events where source_id = ${id}`.execute(app.db)
    assert.equal(rows.length, 1)
    assert.ok(!JSON.stringify(rows).includes('the shared secret'))
  },
)

verifies(
  'hooks:handshakes',
  'a handshake is answered, signed, and makes no event; CloudEvents asks with OPTIONS',
  async () => {
    const app = await sharedApp()
    const slack = await app.create({ verification: { preset: 'slack', secrets: ['s'] } })
    const body = '{"type":"url_verification","challenge":"c1","token":"t"}'
    const time = String(Math.floor(Date.now() / 1000))
    const headers = {
      'x-slack-request-timestamp': time,
      'x-slack-signature': `v0=${createHmac('sha256', 's').update(`v0:${time}:${body}`).digest('hex')}`,
    }
    assert.deepEqual((await app.post(slack.endpointUrl, body, headers)).body, { challenge: 'c1' })
    assert.equal((await app.post(slack.endpointUrl, body)).status, 401)

    const github = await app.create({ verification: { preset: 'github', secrets: ['s'] } })
    const signature = `sha256=${createHmac('sha256', 's').update('{}').digest('hex')}`
    const ping = { 'x-github-event': 'ping', 'x-hub-signature-256': signature }
    assert.deepEqual((await app.post(github.endpointUrl, '{}', ping)).body, { status: 'pong' })
    assert.equal(await countEvents(app, slack.id, github.id), 0)

    const plain = await app.create()
    assert.equal((await app.post(plain.endpointUrl, body)).body.status, 'accepted')
    // Intercom requires that the URL answers HEAD; for others HEAD is 405.
    const intercom = await app.create({ verification: { preset: 'intercom', secrets: ['s'] } })
    const probe = async (url: string) => (await fetch(url, { method: 'HEAD' })).status
    assert.deepEqual([await probe(intercom.endpointUrl), await probe(plain.endpointUrl)], [200, 405])
    await app.test.api('PATCH', `/api/v1/webhooks/${intercom.id}`, { active: false })
    assert.equal(await probe(intercom.endpointUrl), 405)
    const asked = await fetch(plain.endpointUrl, {
      method: 'OPTIONS',
      headers: { 'webhook-request-origin': 'events.example.com' },
    })
    assert.equal(asked.status, 200)
    assert.equal(asked.headers.get('webhook-allowed-origin'), 'events.example.com')
  },
)

verifies(
  'hooks:receipts',
  'Discord and Twilio, which take our JSON for a failure, are told in their own way that the event is kept',
  async () => {
    const app = await sharedApp()
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('hex')
    const discord = await app.create({ verification: { preset: 'discord', secrets: [key] } })
    const toDiscord = (body: string, agent = 'Discord-Webhook/1.0 (+https://discord.com)') => {
      const time = String(Math.floor(Date.now() / 1000))
      const signature = sign(null, Buffer.from(time + body), privateKey).toString('hex')
      const headers = {
        'content-type': 'application/json',
        'user-agent': agent,
        'x-signature-ed25519': signature,
        'x-signature-timestamp': time,
      }
      return fetch(discord.endpointUrl, { method: 'POST', headers, body })
    }
    const ping = await toDiscord('{"version":1,"application_id":"7","type":0}')
    assert.deepEqual([ping.status, await ping.text(), await countEvents(app, discord.id)], [204, '', 0])
    const event = { type: 'ENTITLEMENT_CREATE', timestamp: '2026-11-15T12:00:00', data: {} }
    const kept = await toDiscord(JSON.stringify({ version: 1, application_id: '7', type: 1, event }))
    assert.deepEqual([kept.status, await kept.text(), await countEvents(app, discord.id)], [204, '', 1])
    // Another program that signs like Discord gets the usual JSON answer.
    const other = (await (await toDiscord('{"hello":1}', 'curl/8')).json()) as { status: string }
    assert.equal(other.status, 'accepted')

    const sms = await app.create({ verification: { preset: 'twilio', secrets: ['token'] } })
    const form = 'MessageSid=SM1&From=%2B15550001&Body=hello'
    const signed = `${sms.endpointUrl}BodyhelloFrom+15550001MessageSidSM1`
    const toTwilio = () =>
      fetch(sms.endpointUrl, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'user-agent': 'TwilioProxy/1.1',
          'x-twilio-signature': createHmac('sha1', 'token').update(signed).digest('base64'),
          'i-twilio-idempotency-token': 'once',
        },
        body: form,
      })
    for (const answer of [await toTwilio(), await toTwilio()]) {
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'text/xml'])
      assert.match(await answer.text(), /<Response\/>$/)
    }
    assert.equal(await countEvents(app, discord.id, sms.id), 3)
  },
)

verifies('hooks:order-of-checks', 'the first failed check decides the answer', async () => {
  const app = await sharedApp()
  const verification = { preset: 'github', secrets: ['s'] }
  const { id, endpointUrl } = await app.create({
    verification,
    maxBodyBytes: 100,
    rateLimit: { perSecond: 0.001, burst: 1 },
  })
  const sign = (body: string) => ({
    'x-hub-signature-256': `sha256=${createHmac('sha256', 's').update(body).digest('hex')}`,
  })
  const big = 'x'.repeat(200)
  const status = async (body: string, headers: Record<string, string>, url = endpointUrl) =>
    (await post(url, body, headers)).status
  const unknown = new URL('/hooks/whk_none', app.test.url).href
  const text = { 'content-type': 'text/plain' }
  const put = await fetch(unknown, { method: 'PUT', body: big })
  assert.equal(put.status, 405, 'method before token')
  assert.equal(await status(big, text, unknown), 404, 'token before type')
  assert.equal(await status(big, text), 415, 'type before size')
  assert.equal(await status(big, {}), 413, 'size before signature')
  assert.equal(await status('{', {}), 401, 'signature before JSON')
  const ping = { ...sign('{'), 'x-github-event': 'ping' }
  assert.equal(await status('{', ping), 400, 'JSON before handshake')
  assert.equal(
    await status('{}', { ...sign('{}'), 'x-github-event': 'ping', 'x-github-delivery': 'd0' }),
    200,
  )
  assert.equal(
    await status('{}', { ...sign('{}'), 'x-github-delivery': 'd1' }),
    200,
    'a handshake costs no quota',
  )
  assert.equal(
    await status('{}', { ...sign('{}'), 'x-github-delivery': 'd1' }),
    200,
    'duplicate before rate limit',
  )
  assert.equal(await status('{}', { ...sign('{}'), 'x-github-delivery': 'd2' }), 429)
  await app.test.api('PATCH', `/api/v1/webhooks/${id}`, { active: false })
  assert.equal(await status(big, text), 404, 'state before type')
})

verifies(
  'hooks:prefer-wait',
  'Prefer: wait holds the answer until the run ends and carries its reply',
  async () => {
    await using app = await startWebhookApp()
    const { endpointUrl } = await app.create()
    const { status, headers, body } = await app.post(endpointUrl, '{"order":4711}', { prefer: 'wait=30' })
    assert.equal(status, 200)
    assert.equal(headers.get('preference-applied'), 'wait=30')
    const run = body.run as { status: string; reply: { text: string } } // the contract of Prefer: wait
    assert.equal(run.status, 'succeeded')
    assert.match(run.reply.text, /4711/)
  },
)

verifies(
  'hooks:prefer-wait',
  'when the time is over, the event is erased, or the service stops, the answer has the run’s current status',
  async () => {
    await using app = await startWebhookApp({ quiet: true })
    const { endpointUrl } = await app.create()
    const { body } = await app.post(endpointUrl, '{}', { prefer: 'respond-async, wait=1' })
    const queued = { status: 'queued', reply: null, error: null }
    assert.deepEqual(body.run, queued)

    const erased = app.post(endpointUrl, '{}', { prefer: 'wait=30' })
    await until(async () => (await app.events()).length === 2)
    const [newest] = await app.events()
    await app.test.api('DELETE', `/api/v1/events/${newest?.id}`)
    assert.deepEqual((await erased).body.run, { ...queued, status: 'cancelled' })

    // Nobody waits for longer than half a minute.
    const waiting = app.post(endpointUrl, '{}', { prefer: 'wait=3600' })
    await until(async () => (await app.events()).length === 3)
    await app[Symbol.asyncDispose]()
    const { headers, body: told } = await waiting
    assert.equal(headers.get('preference-applied'), 'wait=30')
    assert.deepEqual(told.run, queued)
  },
)
