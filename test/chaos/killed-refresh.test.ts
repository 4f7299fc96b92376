import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { sql } from 'kysely'
import { createConnector, type Shown, signIn, startOauthScene } from '../connectors/oauth-scene.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'oauth:killed-refresh',
  'a process that is killed between the answer with a token and its commit leads to reconnect with one notice',
  async () => {
    await using scene = await startOauthScene()
    await using database = await createTestDatabase()
    const { url: databaseUrl } = database
    const id = await connect()
    // The tools of the server are due, so the process asks it as soon as it starts, and needs a new token for that.
    const app = join(import.meta.dirname, '../support/faulty-app.ts')
    const victim = spawn(
      process.execPath,
      [app, databaseUrl, 'oauth.renewed', 'SIGKILL', JSON.stringify(loopback)],
      {
        stdio: ['ignore', 'ignore', 'inherit'],
      },
    )
    await once(victim, 'exit')
    assert.equal(victim.signalCode, 'SIGKILL')
    assert.deepEqual(scene.server.asked, ['authorization_code', 'refresh_token'])

    await using heir = await startTestApp({ databaseUrl, env: loopback })
    const path = `/api/v1/connectors/${id}`
    await sql`update connector_grants set lease_until = now() - interval '1 second'`.execute(heir.app.ctx.db)
    for (let again = 0; again < 3; again++) await heir.api('POST', `${path}/test`)
    const { grant } = await heir.get<Shown>(path)
    assert.equal(grant.state, 'reconnect')
    assert.deepEqual(scene.server.refused, ['refresh_token'])
    const { items } = await heir.get<{ items: { action: string }[] }>('/api/v1/audit?limit=100')
    assert.equal(items.filter(({ action }) => action === 'connector.access-ended').length, 1)

    async function connect(): Promise<string> {
      await using before = await startTestApp({ databaseUrl, env: loopback })
      const created = await createConnector(before, { type: 'mcp', url: scene.url })
      await signIn(before, scene, created.id)
      await before.api('POST', `/api/v1/connectors/${created.id}/test`)
      const { db } = before.app.ctx
      await sql`update connector_grants set issued_at = now() - interval '1 hour', expires_at = now()`.execute(
        db,
      )
      await sql`update mcp_servers set next_refresh_at = now()`.execute(db)
      return created.id
    }
  },
)
