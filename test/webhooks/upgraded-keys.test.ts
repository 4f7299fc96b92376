import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { hashToken } from '../../src/platform/crypto/token.ts'
import { openDatabase } from '../../src/platform/db/database.ts'
import { migrateBefore } from '../support/migrate-before.ts'
import { startTestApp } from '../support/start-test-app.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { verifies } from '../support/verifies.ts'
import { post } from './start-webhook-app.ts'

const token = `whk_${'t'.repeat(43)}`
/** Two API keys from before the upgrade, and their creators. */
const makers = { [`blh_${'e'.repeat(40)}`]: 'system', [`blh_${'u'.repeat(40)}`]: 'user' }

verifies(
  ['hooks:duplicate-window', 'accounts:api-key-from-environment'],
  'after an upgrade, stored delivery ids are still known, and the API key from the environment is distinguished from one by a user of the same name',
  async () => {
    await using test = await createTestDatabase({ empty: true })
    {
      await using database = openDatabase(
        { connectionString: test.url },
        { maxConnections: 1, onError: assert.fail },
      )
      await migrateBefore(database.db, '0078')
      await sql`insert into webhooks (id, name, channel_id, prompt, state) values ('hook_1', 'n', 'chan_1', 'p', 'active')`.execute(
        database.db,
      )
      await sql`insert into webhook_traffic (webhook_id) values ('hook_1')`.execute(database.db)
      await sql`insert into webhook_tokens (hash, webhook_id, hint) values (${hash('sha256', token)}, 'hook_1', 'tttt')`.execute(
        database.db,
      )
      await sql`
        insert into delivery_keys (webhook_id, key, event_id, run_id, body_digest, created_at) values
          ('hook_1', ${hash('sha256', 'webhook-id\nm', 'base64url')}, 'evt_1', 'run_1', ${hash('sha256', '{}', 'base64url')}, now()),
          ('hook_1', ${hash('sha256', 'x-github-delivery\ng', 'base64url')}, 'evt_2', 'run_2', null, now())`.execute(
        database.db,
      )
      for (const [key, maker] of Object.entries(makers)) {
        await sql`
          insert into api_keys (id, name, role, key_hash, start, created_by)
          values (${`key_${maker}`}, 'a key', 'admin', ${hashToken(key)}, 'blh_', 'environment')`.execute(
          database.db,
        )
        await sql`
          insert into audit_log (id, actor_kind, actor_id, actor_name, action, subject)
          values (${`aud_${maker}`}, ${maker}, 'x', 'environment', 'api-key.created', ${`key_${maker}`})`.execute(
          database.db,
        )
      }
    }
    await using app = await startTestApp({ databaseUrl: test.url })
    const send = async (body: string, headers: Record<string, string>) =>
      (await post(`${app.url}/hooks/${token}`, body, headers)).body

    assert.deepEqual(await send('{}', { 'webhook-id': 'm' }), {
      status: 'duplicate',
      eventId: 'evt_1',
      runId: 'run_1',
    })
    assert.equal((await send('{"other":1}', { 'webhook-id': 'm' })).type, 'delivery-conflict')
    assert.equal((await send('{}', { 'x-github-delivery': 'g' })).eventId, 'evt_2')
    assert.equal((await send('{}', { 'webhook-id': 'new' })).status, 'accepted')

    // The environment has another key by now.
    const statuses = Object.keys(makers).map(
      async (key) => (await app.api('GET', '/api/v1/me', undefined, { key })).status,
    )
    assert.deepEqual(await Promise.all(statuses), [401, 200])
  },
)
