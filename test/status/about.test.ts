import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { migrationsFolder } from '../../src/app/open-store.ts'
import type { About } from '../../src/status/contract.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startTestApp, testEncryptionKey } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(startTestApp)

verifies('api:about', 'version, runtime, database and the key in use are shown, and no secret', async () => {
  const app = await sharedApp()
  const about = await app.get<About>('/api/v1/about')
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string }
  assert.equal(about.version, version)
  assert.equal(about.node, process.version)
  assert.equal(about.database.kind, 'external')
  assert.match(about.database.version, /^\d+/)
  assert.ok(about.database.sizeBytes > 1_000_000)
  assert.equal(about.database.migrations, readdirSync(migrationsFolder).length)
  assert.equal(about.dataFolder, null)
  assert.equal(about.encryption.keyId, app.app.ctx.vault.keyId)
  assert.equal(about.encryption.sealedByOtherKeys, 0)
  assert.ok(!JSON.stringify(about).includes(testEncryptionKey))
})

verifies('api:about', 'each process on the database is listed while it lives', async () => {
  const app = await sharedApp()
  const seen = async () => (await app.get<About>('/api/v1/about')).replicas
  await until(async () => (await seen()).length === 1)
  {
    await using other = await startTestApp({ databaseUrl: app.databaseUrl, env: { ROLE: 'web' } })
    await until(async () => (await seen()).length === 2)
    const both = await seen()
    assert.deepEqual(both.map(({ role, self }) => [role, self]).sort(), [
      ['all', true],
      ['web', false],
    ])
    assert.ok(other.url)
  }
  assert.equal((await seen()).length, 1)

  // A killed process is no longer listed once it has been silent for long enough.
  const { db } = app.app.ctx
  await sql`insert into replicas (id, role, version, seen_at) values ('rep_old', 'worker', '1', now() - interval '31 seconds')`.execute(
    db,
  )
  assert.equal((await seen()).length, 1)
})

verifies('api:about', 'values sealed with a former key are counted until they are sealed again', async () => {
  const former = Buffer.alloc(32, 9).toString('base64')
  await using before = await startTestApp({ env: { ENCRYPTION_KEY: former } })
  const { databaseUrl } = before
  await using after = await startTestApp({
    databaseUrl,
    env: { ENCRYPTION_KEY: `${testEncryptionKey},${former}` },
  })
  const { encryption } = await after.get<About>('/api/v1/about')
  assert.ok(encryption.sealedByOtherKeys >= 1)
  assert.notEqual(encryption.keyId, before.app.ctx.vault.keyId)
})
