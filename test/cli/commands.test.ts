import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { administer } from '../support/postgres.ts'
import { runBellhop } from '../support/run-bellhop.ts'
import { startTestApp, testEncryptionKey } from '../support/start-test-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { verifies } from '../support/verifies.ts'

async function bellhop(args: string[], env: Record<string, string> = {}) {
  const { code, out, err } = await runBellhop(args, env)
  return { code, said: out + err, err }
}

verifies('cli:help', '--help lists every command; an unknown one says so and fails', async () => {
  const help = await bellhop(['--help'])
  assert.equal(help.code, 0)
  for (const name of [
    'start',
    'migrate',
    'doctor',
    'backup',
    'user create',
    'user reset-password',
    'key create',
    'replay-failed',
    'schedules',
    'rehearse',
    'rotate-encryption-key',
    'export',
    'apply',
  ]) {
    assert.match(help.said, new RegExp(`^  ${name} .*\\S$`, 'm'))
  }
  assert.match((await bellhop(['user', 'create', '--help'])).said, /--email/)
  assert.match(help.said, /\n\nnpm run bellhop -- <command> --help lists the options of a command\.\n$/)
  assert.match((await bellhop(['apply', '--help'])).said, /--file, -f +\S/)
  for (const args of [['--nam', 'me'], ['me']]) {
    const wrong = await bellhop(['key', 'create', ...args])
    assert.equal(wrong.code, 1)
    assert.match(wrong.err, /(--nam|me)'[\s\S]*\n\nbellhop key create: .*\n {2}--name .*\n {2}--role .*\n$/)
  }
  const unknown = await bellhop(['dance'])
  assert.equal(unknown.code, 2)
  assert.match(unknown.said, /There is no command "dance"/)
})

verifies(
  ['cli:migrate', 'config:complains-completely'],
  'migrate brings an empty database up to date, and all faults of a bad environment are reported',
  async () => {
    await using database = await createTestDatabase({ empty: true })
    const done = await bellhop(['migrate'], { DATABASE_URL: database.url, ENCRYPTION_KEY: testEncryptionKey })
    assert.deepEqual([done.code, done.said.includes('The database is up to date.')], [0, true])
    assert.match(done.said, /"migrations":\["0001[^\]]*\].*"msg":"database\.migrated"/)
    const again = await bellhop(['migrate'], {
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: testEncryptionKey,
    })
    assert.deepEqual(again, { code: 0, said: 'The database is up to date.\n', err: '' })
    const bad = await bellhop(['migrate'], { DATABASE_URL: database.url, PORT: 'x' })
    assert.equal(bad.code, 1)
    assert.match(bad.said, /2 faults:\n {2}- PORT .*\n {2}- ENCRYPTION_KEY is missing/)
  },
)

verifies(
  'cli:doctor',
  'doctor shows the configuration without secrets, each exception, and what is wrong',
  async () => {
    await using database = await createTestDatabase()
    const env = {
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: testEncryptionKey,
      EGRESS_PRIVATE_EXCEPTIONS: '10.1.0.0/16',
    }
    const well = await bellhop(['doctor'], env)
    assert.equal(well.code, 0)
    assert.match(well.said, /the agent may call 10\.1\.0\.0\/16 although it is private/)
    assert.match(well.said, /fine {3}database: PostgreSQL 1\d/)
    assert.match(
      well.said,
      /fine {3}capacity: 64 runs of events and 16 of chat messages at once per worker process/,
    )
    assert.match(well.said, /fine {3}model: offline \(no language model\); no fallback \(Settings → Model\)/)
    assert.ok(!well.said.includes(testEncryptionKey))
    assert.match(well.said, /^ {2}otlpEndpoint +not set$/m)
    assert.doesNotMatch(well.said, /null|\[\]/)
    // Written by a replica that did not have the new key, after which the former key was removed.
    await administer(
      database.url,
      `insert into settings (name, value, secret) values ('model', '{}', 'v1.0123456789ab.x')`,
    )
    const lost = await bellhop(['doctor'], { ...env, PUBLIC_URL: 'https://bellhop.example.com' })
    assert.equal(lost.code, 1)
    assert.match(lost.said, /fine {3}address: https:\/\/bellhop\.example\.com; .* set TRUSTED_PROXIES/)
    assert.match(lost.said, /WRONG {2}encryption key: One secret was sealed with key 0123456789ab/)
    const other = Buffer.alloc(32, 5).toString('base64')
    const wrong = await bellhop(['doctor'], {
      ...env,
      ENCRYPTION_KEY: other,
      PUBLIC_URL: 'http://localhost.example.com',
    })
    assert.equal(wrong.code, 1)
    assert.match(wrong.said, /WRONG {2}database: The encryption key does not match this database/)
    assert.match(wrong.said, /WRONG {2}address: http:\/\/localhost\.example\.com is not https/)
  },
)

verifies(
  ['cli:doctor', 'cli:user-reset-password', 'cli:rotate-encryption-key'],
  'a command that needs a database says that a data folder has none, and creates none there',
  async () => {
    await using folder = await temporaryFolder()
    const env = { DATA_DIR: join(folder.path, 'misspelt') }
    const none = `There is no database in ${env.DATA_DIR}. Name the data folder with DATA_DIR, or start Bellhop, which creates one.`
    for (const args of [
      ['user', 'reset-password', '--email', 'kim@example.com'],
      ['rotate-encryption-key'],
    ]) {
      assert.deepEqual(await bellhop(args, env), { code: 1, said: `${none}\n`, err: `${none}\n` })
    }
    const doctor = await bellhop(['doctor'], env)
    assert.equal(doctor.code, 0)
    assert.ok(doctor.said.includes(`fine   database: there is none in ${env.DATA_DIR} yet`), doctor.said)
    assert.deepEqual(await readdir(folder.path), [])
  },
)

verifies(
  'cli:key-create',
  'a key can be made before the first start, and the command says that it created the database',
  async () => {
    await using folder = await temporaryFolder()
    const env = { DATA_DIR: join(folder.path, 'data') }
    const made = await bellhop(['key', 'create', '--name', 'ci', '--role', 'member'], env)
    assert.equal(made.code, 0, made.said)
    assert.match(made.said, /^blh_\S+$/m)
    assert.equal(made.err, `There was no database in ${env.DATA_DIR}, so it is created now.\n`)
    const second = await bellhop(['key', 'create', '--name', 'ci 2', '--role', 'member'], env)
    assert.deepEqual([second.code, second.err], [0, ''])
  },
)

verifies(
  ['cli:user-create', 'cli:user-reset-password', 'cli:key-create'],
  'users, reset links and keys made on the command line work in the service that runs beside it',
  async () => {
    await using app = await startTestApp()
    const env = { DATABASE_URL: app.databaseUrl, ENCRYPTION_KEY: testEncryptionKey, PUBLIC_URL: app.url }
    const created = await bellhop(['user', 'create', '--email', 'kim@example.com', '--role', 'operator'], env)
    const token = /token=([\w-]+)/.exec(created.said)?.[1]
    const accepted = await app.api(
      'POST',
      '/api/v1/links/accept',
      { token, name: 'Kim', password: 'a-long-password' },
      { key: null },
    )
    assert.ok(accepted.status < 300, accepted.text)
    const reset = await bellhop(['user', 'reset-password', '--email', 'kim@example.com'], env)
    assert.match(reset.said, new RegExp(`one-time link to set a new password: ${app.url}/link#token=`))
    const chosen = { token: /token=([\w-]+)/.exec(reset.said)?.[1], password: 'another-long-password' }
    const open = { key: null }
    assert.equal((await app.api('POST', '/api/v1/links/accept', chosen, open)).status, 200)
    assert.equal((await app.api('POST', '/api/v1/links/accept', chosen, open)).status, 410)
    const credentials = { email: 'kim@example.com', password: chosen.password }
    const signedIn = await app.api<{ role: string }>('POST', '/api/v1/session', credentials, open)
    assert.equal(signedIn.body.role, 'operator')
    const key = (await bellhop(['key', 'create', '--name', 'ci', '--role', 'member'], env)).said.trim()
    assert.match(key, /^blh_[\w-]{28,}$/)
    const me = await app.api<{ role: string }>('GET', '/api/v1/me', undefined, { key })
    assert.equal(me.body.role, 'member')
    const wrong = await bellhop(['user', 'create', '--email', 'nobody', '--role', 'boss'], env)
    assert.equal(wrong.code, 1)
    assert.match(wrong.said, /--email: Enter an email address\.\n--role: Use member, operator or admin\./)
    const missing = await bellhop(['key', 'create', '--name', 'x'.repeat(101)], env)
    assert.match(
      missing.said,
      /--name: Use 100 characters or less\.\n--role is missing: admin, operator or member\./,
    )
  },
)

verifies(
  'cli:rotate-encryption-key',
  'secrets are not sealed with a key from the environment until every running replica has it',
  async () => {
    await using database = await createTestDatabase()
    const keys = `${Buffer.alloc(32, 8).toString('base64')},${testEncryptionKey}`
    const env = { DATABASE_URL: database.url, ENCRYPTION_KEY: keys }
    await using forgotten = await startTestApp({ databaseUrl: database.url, env: { ROLE: 'worker' } })
    await using follower = await startTestApp({ databaseUrl: database.url, env: { ENCRYPTION_KEY: keys } })
    const early = await bellhop(['rotate-encryption-key'], env)
    assert.equal(early.code, 1)
    assert.match(early.err, /^Nothing was changed:.*\n {2}role worker, started .*\n$/)
    await forgotten[Symbol.asyncDispose]()
    const rotated = await bellhop(['rotate-encryption-key'], env)
    assert.deepEqual([rotated.code, /^\d+ secrets are sealed/.test(rotated.said)], [0, true], rotated.said)
    const { encryption } = await follower.get<{ encryption: object }>('/api/v1/about')
    assert.partialDeepStrictEqual(encryption, { sealedByOtherKeys: 0 })
    const { items } = await follower.get<{ items: { actor: { name: string }; detail: object }[] }>(
      '/api/v1/audit?action=encryption-key.rotated',
    )
    assert.equal(items.length, 1, 'not what was refused')
    const secrets = Number(/^\d+/.exec(rotated.said)?.[0])
    assert.partialDeepStrictEqual(items[0], { actor: { name: 'the command line' }, detail: { secrets } })
  },
)

verifies(
  ['cli:rotate-encryption-key', 'vault:lost-key'],
  'a secret whose key is gone does not stop a rotation: the others are sealed with the new key, and it is named',
  async () => {
    await using database = await createTestDatabase()
    await using app = await startTestApp({ databaseUrl: database.url })
    const ids: string[] = []
    for (const name of ['One', 'Two', 'Three']) {
      const connector = { type: 'mcp', name, url: 'https://mcp.example.com', authValue: 'planted-token' }
      ids.push((await app.api<{ id: string }>('POST', '/api/v1/connectors', connector)).body.id)
    }
    await sql`
      update connectors set auth_value = regexp_replace(auth_value, '^v1\.[^.]+', 'v1.0123456789ab')
      where name = 'One'`.execute(app.app.ctx.db)
    // Its key is known, and still it does not open.
    await sql`update connectors set auth_value = auth_value || 'AAAA' where name = 'Two'`.execute(
      app.app.ctx.db,
    )
    await app[Symbol.asyncDispose]()
    const keys = `${Buffer.alloc(32, 8).toString('base64')},${testEncryptionKey}`
    const env = { DATABASE_URL: database.url, ENCRYPTION_KEY: keys }
    const rotated = await bellhop(['rotate-encryption-key'], env)
    assert.equal(rotated.code, 0, rotated.said)
    assert.match(rotated.said, /^\d+ secrets are sealed with the first key/m)
    assert.match(rotated.err, /2 secrets cannot be opened.*Enter them again/)
    for (const id of ids.slice(0, 2))
      assert.ok(rotated.err.includes(`connectors.auth_value of ${id}`), rotated.err)
    assert.ok(!rotated.err.includes(ids[2] ?? ''), rotated.err)
  },
)
