import assert from 'node:assert/strict'
import { cp, readdir, writeFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { migrationsFolder, openStore } from '../../src/app/open-store.ts'
import { readConfig } from '../../src/config.ts'
import { newKey } from '../../src/platform/crypto/load-keys.ts'
import { reseal } from '../../src/platform/crypto/reseal.ts'
import { createVault } from '../../src/platform/crypto/vault.ts'
import { type Db, isUnavailable, openDatabase } from '../../src/platform/db/database.ts'
import { compareMigrations, listMigrations, migrate } from '../../src/platform/db/migrate.ts'
import { openNotifications } from '../../src/platform/db/notifications.ts'
import { createLog } from '../../src/platform/log.ts'
import { Secret } from '../../src/platform/secret.ts'
import { openCuttableWire } from '../support/open-cuttable-wire.ts'
import { general } from '../support/start-shop.ts'
import { startTestApp, testEncryptionKey } from '../support/start-test-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const quiet = { maxConnections: 2, onError: () => undefined }
const log = await createLog({ level: 'silent', pretty: false })

function configFor(url: string, key = testEncryptionKey) {
  return readConfig({ DATABASE_URL: url, ENCRYPTION_KEY: key })
}

verifies(
  'db:migrations-together',
  'eight replicas that start together on an empty database all come up, and it is migrated once',
  async () => {
    await using database = await createTestDatabase({ empty: true })
    const stores = await Promise.all(Array.from({ length: 8 }, () => openStore(configFor(database.url), log)))
    await using first = stores[0]!
    const { rows } = await sql<{ name: string }>`select name from schema_migrations order by name`.execute(
      first.database.db,
    )
    const files = (await readdir(migrationsFolder)).filter((name) => name.endsWith('.sql')).toSorted()
    assert.deepEqual(
      rows.map(({ name }) => `${name}.sql`),
      files,
    )
    for (const store of stores.slice(1)) await store[Symbol.asyncDispose]()
  },
)

verifies(
  'db:newer-database-refused',
  'a database with migrations of a newer version is refused and unchanged; a running service on it is no longer ready',
  async () => {
    await using test = await createTestDatabase()
    await using older = await startTestApp({ databaseUrl: test.url })
    await using database = openDatabase({ connectionString: test.url }, quiet)
    await sql`insert into schema_migrations (name, timestamp) values ('9999_from_the_future', '2099')`.execute(
      database.db,
    )
    // There is also a migration to apply, and it is not applied.
    await using folder = await temporaryFolder()
    await cp(migrationsFolder, folder.path, { recursive: true })
    await writeFile(join(folder.path, '9998_more.sql'), 'create table more ()')
    await assert.rejects(
      migrate(database.db, folder.path),
      /newer than this version of Bellhop: it has 9999_from_the_future.*Start the newer version/,
    )
    const { rows } = await sql`select to_regclass('more') as more`.execute(database.db)
    assert.deepEqual(rows, [{ more: null }])
    const { status, body } = await older.api<{ detail: string }>('GET', '/readyz')
    assert.equal(status, 503)
    assert.match(body.detail, /A newer version of Bellhop has changed the database/)
  },
)

verifies(
  'http:readyz',
  'copying a newer version into the folder of a running service does not make it unready',
  async () => {
    await using test = await createTestDatabase()
    await using folder = await temporaryFolder()
    await using database = openDatabase({ connectionString: test.url }, quiet)
    await cp(migrationsFolder, folder.path, { recursive: true })
    const known = await listMigrations(folder.path)
    await writeFile(join(folder.path, '9998_more.sql'), 'create table more ()')
    assert.deepEqual(await compareMigrations(database.db, known), { pending: [], newer: [] })
    await using store = await openStore(configFor(test.url), log)
    assert.deepEqual(store.migrations, known)
    // Nor does a command of the newer version change the database under it.
    await sql`delete from schema_migrations where name = ${known.at(-1)}`.execute(database.db)
    await assert.rejects(
      openStore(configFor(test.url), log, { beside: true }),
      new RegExp(`older than this version of Bellhop: it lacks ${known.at(-1)}\\. Back it up`),
    )
  },
)

verifies(
  'vault:canary-at-start',
  'another encryption key stops the start with a sentence that says what to do',
  async () => {
    await using database = await createTestDatabase()
    await using _first = await openStore(configFor(database.url), log)
    const other = Buffer.alloc(32, 9).toString('base64')
    await assert.rejects(
      openStore(configFor(database.url, other), log),
      /The encryption key does not match this database.*Put the former key back/s,
    )
    await using _both = await openStore(configFor(database.url, `${other},${testEncryptionKey}`), log)
  },
)

verifies(
  'db:external',
  'with DATABASE_URL the service runs on that PostgreSQL and keeps nothing in the data folder',
  async () => {
    await using app = await startTestApp({ env: { DATA_DIR: '/nonexistent/folder' } })
    assert.equal((await app.api('GET', '/readyz')).status, 200)
  },
)

verifies('db:external', 'a PostgreSQL older than 15 is refused by its version', async () => {
  await using test = await createTestDatabase()
  await using database = openDatabase({ connectionString: test.url }, quiet)
  const says = async (version: number) => {
    await sql`create or replace function public.current_setting(name text) returns text language sql as ${sql.lit(
      `select case name when 'server_version_num' then '${version}' else pg_catalog.current_setting(name) end`,
    )}`.execute(database.db)
  }
  // Simulates an older server: our own function is found before PostgreSQL's.
  await sql
    .raw(`alter database ${new URL(test.url).pathname.slice(1)} set search_path = public, pg_catalog`)
    .execute(database.db)
  await says(140_012)
  await assert.rejects(
    openStore(configFor(test.url), log),
    /DATABASE_URL points to PostgreSQL 14\. Bellhop needs 15 or newer\./,
  )
  await says(150_003)
  await using _store = await openStore(configFor(test.url), log)
})

verifies('db:json-untouched', 'a json column keeps key order, white space and big numbers', async () => {
  await using test = await createTestDatabase()
  const client = new pg.Client({ connectionString: test.url })
  await client.connect()
  const text = '{"b": 12345678901234567890123,  "a":1}'
  await client.query(`insert into settings (name, value) values ('x', $1)`, [text])
  const { rows } = await client.query(`select value::text as text from settings where name = 'x'`)
  // jsonb would sort keys and drop white space.
  const { rows: sorting } = await client.query(`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and data_type = 'jsonb'`)
  await client.end()
  assert.equal(rows[0].text, text)
  assert.deepEqual(sorting, [])
})

verifies(
  ['db:connection-loss', 'db:outage-logged-once', 'http:readyz'],
  'while the database is unavailable, requests answer 503 with Retry-After, the log has one line, and all works again when it is back',
  async () => {
    await using test = await createTestDatabase()
    await using wire = await openCuttableWire(test.url)
    const lines: { level: string; msg: string; failures?: number }[] = []
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)) }
    const log = await createLog({ level: 'info', pretty: false, destination })
    // A refused request has its own line, as any other.
    const told = () =>
      lines.filter(
        ({ level, msg }) => msg.startsWith('database.') || (level !== 'info' && msg !== 'request.answered'),
      )
    await using app = await startTestApp({ databaseUrl: wire.url, log })
    lines.length = 0
    assert.equal((await app.api('GET', '/readyz')).status, 200)
    const made = await app.api<{ endpointUrl: string }>('POST', '/api/v1/webhooks', {
      name: 'Orders',
      channelId: general,
      prompt: 'Say what came.',
    })
    assert.equal(made.status, 201, made.text)

    wire.cut()
    const away = await app.api<{ type: string }>('GET', '/readyz')
    assert.equal(away.status, 503)
    assert.equal(away.body.type, 'unavailable')
    assert.ok(Number(away.headers.get('retry-after')) > 0)
    assert.equal((await app.api('GET', '/healthz')).status, 200)
    for (const [method, path, body] of [
      ['GET', '/api/v1/webhooks', undefined],
      ['POST', '/api/v1/channels', { name: 'orders' }],
      ['POST', new URL(made.body.endpointUrl).pathname, {}],
    ] as const) {
      const refused = await app.api<{ type: string }>(method, path, body)
      assert.deepEqual([path, refused.status, refused.body.type], [path, 503, 'unavailable'])
      assert.ok(Number(refused.headers.get('retry-after')) > 0, path)
    }

    await until(() => told().length > 0)
    assert.deepEqual(
      told().map(({ msg }) => msg),
      ['database.connection_lost'],
    )

    // It comes back as a standby first, which answers and takes no writes.
    await using direct = openDatabase({ connectionString: test.url }, quiet)
    const takeNoWrites = (value: 'on' | 'off') =>
      sql
        .raw(
          `alter database ${new URL(test.url).pathname.slice(1)} set default_transaction_read_only = ${value}`,
        )
        .execute(direct.db)
    await takeNoWrites('on')
    wire.mend()
    await until(async () =>
      sql`select`.execute(app.app.ctx.db).then(
        () => true,
        () => false,
      ),
    )
    assert.equal((await app.api('GET', '/readyz')).status, 503)
    await until(() => told().length > 1)
    assert.equal(told()[1]?.msg, 'database.back')
    assert.ok((told()[1]?.failures ?? 0) > 0)
    await takeNoWrites('off')
    await until(async () => (await app.api('GET', '/readyz')).status === 200)
    // Work goes on, too: an event leads to its reply.
    const rung = await app.api<{ runId: string }>('POST', new URL(made.body.endpointUrl).pathname, {})
    assert.equal(rung.status, 200, rung.text)
    await until(
      async () =>
        (await app.api<{ status: string }>('GET', `/api/v1/runs/${rung.body.runId}`)).body.status ===
        'succeeded',
    )

    // Connections that pass nothing on any more. One that was opened in between still answers.
    await until(async () => {
      wire.silence()
      const askedAt = performance.now()
      const { status } = await app.api('GET', '/readyz')
      assert.ok(performance.now() - askedAt < 5_000, 'a load balancer has its answer within 5 s')
      return status === 503
    })
    wire.cut()
  },
)

verifies(
  'db:connection-loss',
  'a connection that silently died is detected, and notifications between processes arrive again',
  async () => {
    await using test = await createTestDatabase()
    await using wire = await openCuttableWire(test.url)
    const heard: (string | null)[] = []
    await using notifications = await openNotifications({
      connection: { connectionString: wire.url },
      onError: () => undefined,
      retryMs: 10,
      heartbeatMs: 100,
    })
    await notifications.listen('bellhop_test', (payload) => heard.push(payload))
    await using speaker = openDatabase({ connectionString: test.url }, quiet)
    const say = (word: string) => sql`select pg_notify('bellhop_test', ${word})`.execute(speaker.db)
    // Repeated: on a machine that stalls for a moment, the connection also counts as silent and is replaced.
    const isHeard = async (word: string) => {
      await say(word)
      return heard.includes(word)
    }
    await until(() => isHeard('before'))

    heard.length = 0
    wire.silence()
    // Null means that something may have been missed.
    await until(() => heard.includes(null))
    await until(() => isHeard('after'))
  },
)

verifies(
  'db:connection-loss',
  'a connection for notifications that is opened again while the service stops is closed too',
  async () => {
    await using test = await createTestDatabase()
    await using speaker = openDatabase({ connectionString: test.url }, quiet)
    let isLost = false
    let closed = 0
    const stream = () => {
      const socket = new Socket()
      if (!isLost) return socket
      return socket.once('connect', () => notifications[Symbol.asyncDispose]()).once('close', () => closed++)
    }
    const connection = { connectionString: test.url, stream }
    const notifications = await openNotifications({ connection, onError: () => undefined, retryMs: 1 })
    isLost = true
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'bellhop notifications' and datname = current_database()`.execute(speaker.db)
    await until(() => closed === 1)
  },
)

verifies(
  'db:connection-loss',
  'a statement without an answer is aborted, even inside a transaction, and the next one gets a working connection',
  async () => {
    await using test = await createTestDatabase()
    await using wire = await openCuttableWire(test.url)
    const options = { maxConnections: 1, onError: () => undefined, silenceMs: 200 }
    await using database = openDatabase({ connectionString: wire.url }, options)
    const ask = (db: Db) => sql`select 1`.execute(db)
    // A busy machine may be silent for as long, but not forever.
    const answers = () =>
      ask(database.db).then(
        () => true,
        () => false,
      )
    for (const attempt of [ask, (db: Db) => db.transaction().execute(ask)]) {
      await until(answers)
      wire.silence()
      await assert.rejects(attempt(database.db), isUnavailable)
      await until(answers)
    }
  },
)

verifies(
  'db:abandoned-locks',
  'the locks of a process that froze in a transaction become free, and when it resumes, that transaction fails as one to repeat',
  async () => {
    await using test = await createTestDatabase()
    await using frozen = openDatabase({ connectionString: test.url }, { ...quiet, abandonedMs: 50 })
    await using other = openDatabase({ connectionString: test.url }, quiet)
    const tryLock = async (db: Db) => {
      const { rows } = await sql<{ got: boolean }>`select pg_try_advisory_xact_lock(1) as got`.execute(db)
      return rows[0]?.got
    }
    const begun = Promise.withResolvers<boolean | undefined>()
    const resumed = Promise.withResolvers<void>()
    const abandoned = assert.rejects(
      frozen.db.transaction().execute(async (tx) => {
        begun.resolve(await tryLock(tx))
        await resumed.promise
        await tryLock(tx)
      }),
      isUnavailable,
    )
    assert.equal(await begun.promise, true)
    await until(async () => (await tryLock(other.db)) === true).finally(resumed.resolve)
    await abandoned
    await tryLock(frozen.db)
  },
)

verifies('vault:rotation-online', 'however many secrets there are, all are sealed again', async () => {
  await using database = await createTestDatabase()
  await using opened = openDatabase({ connectionString: database.url }, quiet)
  const [former, fresh] = [newKey(), newKey()]
  const place = (row: number) => ({ table: 'birds', row: `bird-${row}`, column: 'sealed' })
  const before = createVault([former])
  const sealed = Array.from({ length: 250 }, (_, n) => before.seal(new Secret(`song ${n}`), place(n)))
  await sql`
    create table birds as
    select 'bird-' || n - 1 as id, song as sealed from unnest(${sealed}::text[]) with ordinality as s (song, n)`.execute(
    opened.db,
  )
  const columns = [{ table: 'birds', column: 'sealed' }]
  assert.equal((await reseal(opened.db, createVault([fresh, former]), columns)).count, 250)
  const { rows } = await sql<{ id: string; sealed: string }>`select id, sealed from birds`.execute(opened.db)
  const after = createVault([fresh])
  const songs = rows.map(({ id, sealed: song }) =>
    after
      .open(song, { ...place(0), row: id })
      .reveal()
      .replace('song ', 'bird-'),
  )
  assert.deepEqual(
    songs,
    rows.map(({ id }) => id),
  )
})
