import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Facts } from '../../src/app.ts'
import { startUpBlock } from '../../src/cli/start-up-block.ts'
import { sealedColumns } from '../../src/sealed-columns.ts'
import { createDirectory } from '../../src/webhooks/door/directory.ts'
import { startTestApp } from '../support/start-test-app.ts'
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
    const open = await make('/webhooks', plain)
    const verification = { preset: 'github', secrets: ['planted-secret'] }
    const signed = await make('/webhooks', { ...plain, name: 'Signed', verification })
    const model = { provider: 'anthropic', name: 'claude-sonnet-4-5', apiKey: 'planted-model-key' }
    await app.api('PATCH', '/api/v1/settings', { model })

    for (const { table, column } of sealedColumns) {
      const [name, sealed] = [sql.raw(table), sql.raw(column)]
      if (table !== 'vault_canary')
        await sql`update ${name} set ${sealed} = regexp_replace(${sealed}, '^v1\.[^.]+', 'v1.0123456789ab')`.execute(
          ctx.db,
        )
    }
    ctx.settings.forget()

    const facts = { url: app.url, ctx, setupUrl: null } as unknown as Facts // what the block reads of them
    assert.match(await startUpBlock(facts), /Model +anthropic claude-sonnet-4-5/)
    for (const path of ['/connectors', '/workspaces', '/webhooks', '/settings', '/about'])
      assert.equal((await app.api('GET', `/api/v1${path}`)).status, 200, path)

    type Refusal = { errors: { pointer: string }[] }
    const patch = (path: string, body: object) => app.api<Refusal>('PATCH', `/api/v1${path}`, body)
    const renamed = await patch(`/connectors/${shop.id}`, { name: 'Store' })
    assert.match(renamed.text, /cannot be opened any more.*Enter it again/)
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

    // A webhook whose secret is lost does not refuse the deliveries to another one that are looked up with it.
    const directory = createDirectory(ctx)
    const found = [signed, open].map(({ endpointUrl }) => directory.find(endpointUrl.split('/').at(-1) ?? ''))
    const [lost, other] = await Promise.allSettled(found)
    assert.deepEqual([lost?.status, other?.status], ['rejected', 'fulfilled'])

    for (const [path, body] of changes) {
      const { status, text } = await patch(path, body)
      assert.equal(status, 200, `${path} ${text}`)
    }
  },
)
