import assert from 'node:assert/strict'
import { sealedColumns } from '../../src/app/sealed-columns.ts'
import { createLog } from '../../src/platform/log.ts'
import { dumpDatabase } from '../support/dump-database.ts'
import { startTarget } from '../support/start-target.ts'
import { startTestApp, testApiKey } from '../support/start-test-app.ts'
import { startStubOpenai } from '../support/stub-openai.ts'
import { tokenOf } from '../support/token-of.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const secrets = {
  connectorToken: 'planted-connector-token-7f3a',
  defaultHeader: 'planted-header-secret-91bc',
  signingSecret: 'planted-signing-secret-c0de',
  modelKey: 'planted-dashboard-model-key-55',
  password: 'planted-password-of-kim',
}

verifies(
  ['vault:planted-secrets-stay', 'vault:rotation-online', 'connectors:secrets-write-only'],
  'planted secrets are in no log line, trace, database text, model context, chat message or answer, in any encoding',
  async () => {
    const logLines: string[] = []
    // An API that echoes its requests, including credentials.
    await using target = await startTarget(({ headers, url }, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ url, headers }))
    })
    await using model = await startStubOpenai([
      { calls: [{ name: 'shop__get_order', input: { id: 'A-1' } }] },
      { text: 'The order is fine.' },
    ])
    await using collector = await startTarget()
    await using app = await startTestApp({
      log: await createLog({
        level: 'debug',
        pretty: false,
        destination: { write: (line: string) => void logLines.push(line) },
      }),
      env: {
        ...model.env,
        EGRESS_PRIVATE_EXCEPTIONS: target.pair,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
      },
    })
    const answers: string[] = []
    const call = async <T>(method: string, path: string, body?: unknown) => {
      const answer = await app.api<T>(method, path, body)
      answers.push(answer.text)
      assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
      return answer.body
    }
    await call('POST', '/api/v1/connectors', {
      type: 'http',
      name: 'Shop',
      baseUrl: target.origin,
      authType: 'bearer',
      authValue: secrets.connectorToken,
      defaultHeaders: { 'X-Shop-Token': secrets.defaultHeader },
      tools: [
        {
          name: 'get_order',
          description: 'Reads',
          method: 'GET',
          path: '/orders/{id}',
          capability: 'read',
          inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
        },
      ],
    })
    await call('PATCH', '/api/v1/settings', {
      model: { provider: 'anthropic', name: 'claude-x', apiKey: secrets.modelKey },
    })
    await call('PATCH', '/api/v1/settings', { model: null })
    const invited = await app.api<{ link: { url: string } }>('POST', '/api/v1/users', {
      email: 'kim@example.com',
      name: 'Kim',
      role: 'admin',
    })
    const token = tokenOf(invited.body.link.url)
    const accepted = await app.api(
      'POST',
      '/api/v1/links/accept',
      { token, password: secrets.password },
      { key: null },
    )
    assert.ok(accepted.status < 300, accepted.text)
    const session = /=([^;]+)/.exec(accepted.headers.get('set-cookie') ?? '')?.[1] ?? ''

    const channels = await call<{ items: { id: string }[] }>('GET', '/api/v1/channels')
    const created = await app.api<{ id: string; endpointUrl: string }>('POST', '/api/v1/webhooks', {
      name: 'Orders',
      channelId: channels.items[0]?.id,
      prompt: 'Look the order up.',
      active: true,
      verification: { preset: 'shared_secret', header: 'x-shop-secret', secrets: [secrets.signingSecret] },
    })
    assert.equal(created.status, 201, created.text)
    const webhookToken = new URL(created.body.endpointUrl).pathname.split('/').at(-1) ?? ''
    const delivered = await fetch(created.body.endpointUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-shop-secret': secrets.signingSecret,
        authorization: 'Basic cGxhbnRlZA==',
      },
      body: '{"id":"A-1"}',
    })
    const { runId } = (await delivered.json()) as { runId: string }
    await until(
      async () => (await app.get<{ status: string }>(`/api/v1/runs/${runId}`)).status === 'succeeded',
    )
    assert.equal(target.seen[0]?.headers.authorization, `Bearer ${secrets.connectorToken}`)

    for (const path of [
      'connectors',
      'webhooks',
      'events',
      'runs',
      `runs/${runId}`,
      'settings',
      'users',
      'api-keys',
      'audit',
      'approvals',
      `channels/${channels.items[0]?.id}/messages`,
      `webhooks/${created.body.id}`,
      `webhooks/${created.body.id}/refusals`,
    ]) {
      await call('GET', `/api/v1/${path}`)
    }
    assert.ok(logLines.length > 20)
    const stored = await dumpDatabase(app.app.ctx.store.database.pool)
    // The last traces are exported when the service stops.
    await app[Symbol.asyncDispose]()
    const traces = collector.seen.map(({ body }) => body).join('\n')
    assert.match(traces, /POST \/api\/v1\/connectors/)
    const places = {
      'the log': logLines.join('\n'),
      'the database': stored.map(({ text }) => text).join('\n'),
      'the model context': JSON.stringify(model.requests),
      'an answer': answers.join('\n'),
      'a trace': traces,
    }
    const planted = { ...secrets, webhookToken, session, invitation: token, apiKey: testApiKey }
    for (const [place, text] of Object.entries(places)) {
      for (const [name, secret] of Object.entries(planted)) {
        for (const spelling of spellings(secret))
          assert.ok(!text.includes(spelling), `${name} is in ${place}`)
      }
    }
    for (const { table, column, text } of stored.filter((cell) =>
      /v1\.[0-9a-f]{12}\.[\w-]{20}/.test(cell.text),
    )) {
      const known = sealedColumns.some((sealed) => sealed.table === table && sealed.column === column)
      assert.ok(
        known,
        `${table}.${column} holds a sealed value that rotation would miss: ${text.slice(0, 40)}`,
      )
    }
  },
)

/** As it is, and as it would look in the usual encodings. */
function spellings(secret: string): string[] {
  assert.ok(secret.length >= 8)
  const bytes = Buffer.from(secret)
  return [
    secret,
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    encodeURIComponent(secret),
  ]
}
