import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { sealedColumns } from '../../src/app/sealed-columns.ts'
import type { Facts } from '../../src/app.ts'
import { startUpBlock } from '../../src/cli/start-up-block.ts'
import { becomes } from '../support/becomes.ts'
import { startTarget } from '../support/start-target.ts'
import { startTestApp, type TestApp } from '../support/start-test-app.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'vault:lost-key',
  'when the key of stored secrets is gone, Bellhop starts, every page opens, and each secret can be entered again or cleared',
  async () => {
    await using app = await startTestApp()
    const { ctx } = app.app
    const make = async (path: string, body: object) =>
      (await app.api<{ id: string; endpointUrl: string }>('POST', `/api/v1${path}`, body)).body
    const shop = await make('/connectors', {
      type: 'http',
      name: 'Shop',
      baseUrl: 'https://api.example.com',
      authType: 'bearer',
      authValue: 'planted-token',
      defaultHeaders: { 'X-Api-Key': 'planted-key' },
      tools: [],
    })
    const remote = await make('/connectors', {
      type: 'mcp',
      name: 'Remote',
      url: 'https://mcp.example.com/mcp',
      authValue: 'planted-token',
    })
    const slack = await make('/workspaces', { platform: 'slack', botToken: 'xoxb-planted' })
    const { items } = await app.get<{ items: { id: string }[] }>('/api/v1/channels')
    const plain = { name: 'Plain', channelId: items[0]?.id, prompt: 'x', active: true }
    const verification = { preset: 'github', secrets: ['planted-secret'] }
    const signed = await make('/webhooks', { ...plain, name: 'Signed', verification })
    const model = { provider: 'anthropic', name: 'claude-sonnet-4-5', apiKey: 'planted-model-key' }
    await app.api('PATCH', '/api/v1/settings', { model })

    await loseKey(app)

    const facts = { url: app.url, ctx, setupUrl: null } as unknown as Facts // what the block reads of them
    const block = await startUpBlock(facts)
    assert.match(block, /Model +Anthropic · claude-sonnet-4-5/)
    assert.match(block, /Chat +.*slack slack \(draft, not connected\)/)
    for (const path of ['/connectors', '/workspaces', '/webhooks', '/settings', '/about'])
      assert.equal((await app.api('GET', `/api/v1${path}`)).status, 200, path)

    type Refusal = { errors: { pointer: string }[] }
    const patch = (path: string, body: object) => app.api<Refusal>('PATCH', `/api/v1${path}`, body)
    const renamed = await patch(`/connectors/${shop.id}`, { name: 'Store' })
    assert.match(renamed.text, /cannot be decrypted.*Enter it again/)
    assert.deepEqual(
      renamed.body.errors.map(({ pointer }) => pointer),
      ['/authValue', '/defaultHeaders/X-Api-Key'],
    )
    const again = { name: 'Store', authValue: 'new-token', defaultHeaders: { 'x-api-key': null } }
    const changes: [string, object][] = [
      [`/connectors/${shop.id}`, again],
      [`/connectors/${shop.id}`, { name: 'Shop' }],
      [`/connectors/${remote.id}`, { authValue: null }],
      [`/connectors/${remote.id}`, { name: 'Away' }],
      [`/workspaces/${slack.id}`, { botToken: 'xoxb-new' }],
      [`/webhooks/${signed.id}`, { verification: { ...verification, secrets: ['new-secret'] } }],
      ['/settings', { model: { apiKey: 'new-model-key' } }],
    ]

    for (const [path, body] of changes) {
      const { status, text } = await patch(path, body)
      assert.equal(status, 200, `${path} ${text}`)
    }
  },
)

verifies(
  'vault:lost-key',
  'whatever needs a secret whose key is gone says which secret it is and to enter it again, and sends nothing',
  async () => {
    await using api = await startTarget()
    await using app = await startTestApp({ env: { EGRESS_PRIVATE_EXCEPTIONS: api.pair } })
    type Made = { id: string; endpointUrl: string; tools: { id: string }[] }
    const make = async (path: string, body: object) =>
      (await app.api<Made>('POST', `/api/v1${path}`, body)).body
    const shop = await make('/connectors', {
      type: 'http',
      name: 'Shop',
      baseUrl: api.origin,
      authType: 'bearer',
      authValue: 'planted-token',
      defaultHeaders: { 'X-Api-Key': 'planted-key' },
      tools: [
        {
          name: 'get_shop',
          description: 'The shop',
          method: 'GET',
          path: '/',
          capability: 'read',
          inputSchema: { type: 'object', properties: { order: { type: 'integer' } }, required: ['order'] },
        },
      ],
    })
    const remote = await make('/connectors', {
      type: 'mcp',
      name: 'Remote',
      url: api.origin,
      authValue: 'planted-token',
    })
    const slack = await make('/workspaces', { platform: 'slack', botToken: 'xoxb-planted' })
    const { items } = await app.get<{ items: { id: string }[] }>('/api/v1/channels')
    const plain = { name: 'Plain', channelId: items[0]?.id, prompt: 'Summarise it.', active: true }
    const open = await make('/webhooks', plain)
    const verification = { preset: 'github', secrets: ['planted-secret'] }
    const signed = await make('/webhooks', { ...plain, name: 'Signed', verification })
    const model = { provider: 'anthropic', name: 'claude-sonnet-4-5', apiKey: 'planted-model-key' }
    await app.api('PATCH', '/api/v1/settings', { model })
    await loseKey(app)

    const asked = api.seen.length
    const again = /cannot be decrypted, because (its|their) encryption key is gone.* again/s
    const post = async (path: string, body?: object) => (await app.api('POST', `/api/v1${path}`, body)).text
    assert.match(
      await post(`/connectors/${shop.id}/test`),
      /bearer token and the header X-Api-Key of the connector Shop/,
    )
    assert.match(await post(`/connectors/${shop.id}/test`), again)
    assert.match(await post(`/tools/${shop.tools[0]?.id}/try`, { input: { order: 7 } }), again)
    assert.match(await post(`/connectors/${remote.id}/test`), again)
    assert.match(await post(`/connectors/${remote.id}/refresh`), again)
    assert.match(await post(`/workspaces/${slack.id}/refresh`), again)
    assert.match(await post('/settings/model/test', {}), again)
    assert.match(await post(`/webhooks/${signed.id}/reveal`), /rotate/i)

    type Shown = { authValue: object; defaultHeaders?: object; warnings: string[] }
    const shown = await app.get<Shown>(`/api/v1/connectors/${shop.id}`)
    assert.deepEqual(
      [shown.authValue, shown.defaultHeaders],
      [{ set: false }, { 'X-Api-Key': { set: false } }],
    )
    assert.match(shown.warnings.join(), again)
    const mcp = await app.get<Shown>(`/api/v1/connectors/${remote.id}`)
    assert.deepEqual(mcp.authValue, { set: false })
    assert.match(mcp.warnings.join(), again)

    const hook = await app.get<{ verification: object }>(`/api/v1/webhooks/${signed.id}`)
    assert.partialDeepStrictEqual(hook.verification, { secrets: { set: false, count: 1 } })

    // The sender may try again: the delivery is accepted once somebody has entered the secret.
    const deliver = (url: string) =>
      fetch(url, {
        method: 'POST',
        body: '{"order":7}',
        headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
      })
    assert.equal((await deliver(signed.endpointUrl)).status, 503)
    await becomes(async () => {
      const { items: refusals } = await app.get<{ items: { reason: string }[] }>(
        `/api/v1/webhooks/${signed.id}/refusals`,
      )
      return again.test(refusals[0]?.reason ?? '')
    }, true)

    type Run = {
      status: string
      error: { message: string } | null
      toolCalls: { error: { message: string } | null }[]
    }
    const run = async () => {
      const { runId } = (await (await deliver(open.endpointUrl)).json()) as { runId: string }
      const read = () => app.get<Run>(`/api/v1/runs/${runId}`)
      await becomes(async () => ['failed', 'succeeded'].includes((await read()).status), true)
      return await read()
    }
    assert.match((await run()).error?.message ?? '', again)
    await app.api('PATCH', '/api/v1/settings', { model: null })
    assert.match((await run()).toolCalls[0]?.error?.message ?? '', again)
    assert.equal(api.seen.length, asked)
  },
)

async function loseKey({ app: { ctx } }: TestApp): Promise<void> {
  for (const { table, column } of sealedColumns) {
    const [name, sealed] = [sql.raw(table), sql.raw(column)]
    if (table !== 'vault_canary')
      await sql`update ${name} set ${sealed} = regexp_replace(${sealed}, '^v1\.[^.]+', 'v1.0123456789ab')`.execute(
        ctx.db,
      )
  }
  ctx.settings.forget()
  ctx.webhooks.urlCache.forget(null)
}
