import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/database.ts'
import { createLog } from '../../src/platform/log.ts'
import { startShop } from '../support/start-shop.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { verifies } from '../support/verifies.ts'

const planted = ['planted-shop-token', 'planted-model-key', 'planted-header-value']

/** The plain text, and the usual encodings. */
function disguises(secret: string): string[] {
  const bytes = Buffer.from(secret)
  return [
    secret,
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    encodeURIComponent(secret),
    // At another offset base64 looks different.
    Buffer.from(` ${secret}`).toString('base64').slice(2, -4),
    Buffer.from(`  ${secret}`).toString('base64').slice(3, -4),
  ]
}

verifies(
  'vault:planted-secrets-stay',
  'after a complete run, planted secrets are in no table, model request, message, answer or log line',
  async () => {
    await using model = await startStubAnthropic(({ body }) =>
      body.includes('tool_result')
        ? { text: 'All done.' }
        : {
            calls: [
              { name: 'shop__get_order', input: { id: 'A-1' } },
              { name: 'shop__refund', input: { id: 'A-1' } },
            ],
          },
    )
    const written: string[] = []
    await using shop = await startShop({
      env: model.env,
      log: await createLog({
        level: 'debug',
        pretty: false,
        destination: { write: (line) => void written.push(line) },
      }),
      // The target echoes the token, as some APIs do.
      answer: ({ headers }, response) =>
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ seen: headers.authorization })),
    })
    await shop.app.api('PATCH', `/api/v1/connectors/${shop.connectorId}`, {
      defaultHeaders: { 'X-Secret-Key': 'planted-header-value' },
    })
    const { runId } = await shop.sendEvent(await shop.createWebhook())
    const waiting = await shop.runWhen(runId, ({ status }) => status === 'waiting')
    const approvalId = waiting.toolCalls.find(({ approvalId }) => approvalId)?.approvalId
    await shop.app.api('POST', `/api/v1/approvals/${approvalId}/approve`, {})
    const run = await shop.endedRun(runId)
    assert.equal(run.status, 'succeeded')
    assert.equal(shop.target.seen[0]?.headers.authorization, 'Bearer planted-shop-token')
    assert.equal(shop.target.seen[0]?.headers['x-secret-key'], 'planted-header-value')

    const places = {
      database: await dump(shop.app.app.ctx.db),
      model: model.requests.map(({ body }) => body).join('\n'),
      chat: JSON.stringify(await shop.messages()),
      run: JSON.stringify(run),
      connector: (await shop.app.api('GET', `/api/v1/connectors/${shop.connectorId}`)).text,
      settings: (await shop.app.api('GET', '/api/v1/settings')).text,
      metrics: (await shop.app.api('GET', '/metrics')).text,
      log: written.join('\n'),
    }
    assert.ok(places.log.includes('run.advanced') && places.database.includes('All done.'))
    for (const [place, text] of Object.entries(places)) {
      for (const secret of planted) {
        for (const disguise of disguises(secret)) {
          assert.ok(!text.includes(disguise), `${secret} is in ${place} as ${disguise}`)
        }
      }
    }
  },
)

/** Every row of every table as text. */
async function dump(db: Db): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`.execute(db)
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await sql<{ all: string | null }>`
        select string_agg(to_json(t)::text, ' ') as all from ${sql.raw(name)} t`.execute(db)
      return rows[0]?.all ?? ''
    }),
  )
  return texts.join('\n')
}
