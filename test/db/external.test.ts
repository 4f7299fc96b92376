import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, connect as connectTo, createServer } from 'node:net'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openStore } from '../../src/app/open-store.ts'
import { explainFailure } from '../../src/cli/explain-failure.ts'
import { readConfig } from '../../src/config.ts'
import { checkNotifications } from '../../src/platform/db/check-notifications.ts'
import { type Db, isUnavailable, openDatabase } from '../../src/platform/db/database.ts'
import { openNotifications } from '../../src/platform/db/notifications.ts'
import { createLog } from '../../src/platform/log.ts'
import { freePort } from '../support/free-port.ts'
import { administer } from '../support/postgres.ts'
import { prepareDataFolder } from '../support/prepare-data-folder.ts'
import { startPostgresIn } from '../support/start-postgres-in.ts'
import { startTestApp, testEncryptionKey } from '../support/start-test-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const log = await createLog({ level: 'silent', pretty: false })
const onError = () => undefined
const nameOf = (url: string) => new URL(url).pathname.slice(1)

function open(url: string) {
  return openStore(readConfig({ DATABASE_URL: url, ENCRYPTION_KEY: testEncryptionKey }), log)
}

verifies(
  'db:external',
  'a database that does not keep every character is refused by its encoding',
  async () => {
    await using test = await createTestDatabase({ encoding: 'SQL_ASCII' })
    await assert.rejects(open(test.url), /uses the encoding SQL_ASCII.*encoding 'UTF8' template template0/s)
  },
)

async function setDefaults(url: string, defaults: Record<string, string>): Promise<void> {
  await using database = openDatabase({ connectionString: url }, { maxConnections: 1, onError })
  for (const [name, value] of Object.entries(defaults))
    await sql.raw(`alter database ${nameOf(url)} set ${name} = '${value}'`).execute(database.db)
}

verifies(
  'db:external',
  'other defaults of a server change nothing: dates are read, and what is committed is on disk',
  async () => {
    await using test = await createTestDatabase()
    await setDefaults(test.url, {
      DateStyle: 'SQL, DMY',
      default_transaction_isolation: 'serializable',
      synchronous_commit: 'off',
    })
    await using app = await startTestApp({ databaseUrl: test.url })
    const { status } = await app.api('POST', '/api/v1/channels', { name: 'orders' })
    assert.equal(status, 201)
    const { rows } = await sql`
      select current_setting('default_transaction_isolation') as isolation,
        current_setting('synchronous_commit') as commit`.execute(app.app.ctx.db)
    assert.deepEqual(rows, [{ isolation: 'read committed', commit: 'on' }])
  },
)

verifies('db:external', 'a stricter way to commit than ours is kept', async () => {
  await using test = await createTestDatabase()
  await setDefaults(test.url, { synchronous_commit: 'remote_apply' })
  await using database = openDatabase({ connectionString: test.url }, { maxConnections: 1, onError })
  const { rows } = await sql`show synchronous_commit`.execute(database.db)
  assert.deepEqual(rows, [{ synchronousCommit: 'remote_apply' }])
})

verifies('db:external', 'time limits that the server has for everybody do not stop a migration', async () => {
  await using test = await createTestDatabase({ empty: true })
  await setDefaults(test.url, { idle_in_transaction_session_timeout: '1ms' })
  await using store = await open(test.url)
  assert.ok(store.migrations.length > 0)
})

verifies('db:external', 'a database that takes no writes is refused as a standby', async () => {
  await using test = await createTestDatabase()
  await using database = openDatabase({ connectionString: test.url }, { maxConnections: 1, onError })
  await sql
    .raw(`alter database ${nameOf(test.url)} set default_transaction_read_only = on`)
    .execute(database.db)
  await assert.rejects(open(test.url), /is read-only: a standby.*needs the primary/)
})

verifies('db:external', 'an unreachable database is reported with its address and the reason', async () => {
  const place = `localhost:${await freePort()}`
  const says = new RegExp(
    `No connection to the database at ${place} \\(DATABASE_URL\\): connect ECONNREFUSED`,
  )
  await assert.rejects(open(`postgres://bellhop:hidden@${place}/bellhop`), (error: Error) => {
    assert.match(error.message, says)
    assert.doesNotMatch(error.message, /hidden/)
    return true
  })
})

verifies('db:external', 'what an unsuitable database refuses is explained with what to do', async () => {
  const says = async (url: string) => explainFailure(await open(url).catch((error: unknown) => error))
  await using another = await createTestDatabase()
  const role = `role_${nameOf(another.url)}`
  await administer(another.url, `create role ${role} login`)
  const asRole = new URL(another.url)
  asRole.username = role
  const ownsNothing = await says(asRole.href)
  await administer(another.url, `drop role ${role}`)
  assert.match(ownsNothing, /permission denied .*\n {2}The role of DATABASE_URL must own its database/)
  await using used = await createTestDatabase({ empty: true })
  await administer(used.url, 'create table users (id int)')
  assert.match(await says(used.url), /"users" already exists\n.*a database that nothing else uses/)
  const damaged = administer(
    used.url,
    `do $$ begin raise 'invalid page in block 0' using errcode = 'data_corrupted'; end $$`,
  )
  assert.match(
    explainFailure(await damaged.catch((error: unknown) => error)),
    /are damaged.* Restore a backup/,
  )
  await setDefaults(used.url, { search_path: 'nowhere' })
  assert.match(await says(used.url), /The search_path .* reset it, or create the schema/)
  assert.match(
    await says(`${used.url}&sslrootcert=/nowhere/ca.pem`),
    /^DATABASE_URL cannot be used: ENOENT.*ca\.pem/,
  )
})

verifies(
  'db:external',
  'a role that may open fewer connections than a process needs is named at the start, with both numbers, and one that may open as many is enough',
  async () => {
    await using database = await createTestDatabase({ empty: true })
    const role = `role_${nameOf(database.url)}`
    await administer(database.url, `create role ${role} login connection limit 10`)
    try {
      await administer(database.url, `alter database ${nameOf(database.url)} owner to ${role}`)
      const asRole = new URL(database.url)
      asRole.username = role
      const config = readConfig({ DATABASE_URL: asRole.href, ENCRYPTION_KEY: testEncryptionKey })
      const warnings = async () => {
        const said: string[] = []
        const noting = {
          ...log,
          warn: (...words: unknown[]) => void said.push(String(words.at(-1))),
        } as typeof log
        await using _ = await openStore(config, noting)
        return said
      }
      const few = new RegExp(
        `allows 10 connections \\(the connection limit of the role ${role}\\).* up to 11`,
      )
      assert.match((await warnings()).join(), few)
      await administer(database.url, `alter role ${role} connection limit 11`)
      assert.deepEqual(await warnings(), [])
      await using app = await startTestApp({ databaseUrl: asRole.href })
      const pages = ['/api/v1/runs', '/api/v1/events', '/api/v1/channels', '/api/v1/stats']
      const answers = await Promise.all(
        Array.from({ length: 80 }, (_, n) => app.api('GET', pages[n % pages.length] ?? '')),
      )
      assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    } finally {
      await administer(database.url, `reassign owned by ${role} to current_user`)
      await administer(database.url, `alter database ${nameOf(database.url)} owner to current_user`)
      await administer(database.url, `drop owned by ${role}`)
      await administer(database.url, `drop role ${role}`)
    }
  },
)

verifies(
  'db:external',
  'a server that asks for a password that DATABASE_URL does not have is left at once, with the reason',
  async () => {
    await using stack = new AsyncDisposableStack()
    const ask = (kind: number, text: string) => {
      const message = Buffer.from(`R\0\0\0\0\0\0\0\0${text}`)
      message.writeInt32BE(message.length - 1, 1)
      message.writeInt32BE(kind, 5)
      return message
    }
    const left = Promise.withResolvers<void>()
    const server = createServer((near) => {
      near.once('data', () => {
        near.write(ask(10, 'SCRAM-SHA-256\0\0'))
        near.once('data', () => near.write(ask(11, 'r=x,s=eA==,i=4096')))
      })
      near.on('error', () => undefined).on('close', left.resolve)
    }).listen(0, '127.0.0.1')
    stack.defer(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await assert.rejects(
      open(`postgres://bellhop@127.0.0.1:${port}/bellhop`),
      /The server asks for a password, and DATABASE_URL has none/,
    )
    await left.promise
  },
)

verifies(
  'db:external',
  'connections without notifications, as behind a pooler in transaction mode, are refused',
  async () => {
    await using here = await createTestDatabase()
    await using elsewhere = await createTestDatabase({ empty: true })
    await using database = openDatabase({ connectionString: here.url }, { maxConnections: 1, onError })
    await using heard = await openNotifications({ connection: { connectionString: here.url }, onError })
    await checkNotifications({ db: database.db, notifications: heard })
    // Notifications stay inside a database, so this one receives none from the other.
    await using deaf = await openNotifications({ connection: { connectionString: elsewhere.url }, onError })
    await assert.rejects(
      checkNotifications({ db: database.db, notifications: deaf }, 100),
      /must be in session mode/,
    )
  },
)

verifies(
  'db:connection-loss',
  'a connection whose server no longer accepts writes is replaced, even during a transaction',
  async () => {
    await using test = await createTestDatabase()
    await using before = openDatabase({ connectionString: test.url }, { maxConnections: 1, onError })
    // Applies to connections that are opened from now on, not to this one.
    const takeNoWrites = (value: 'on' | 'off') =>
      sql
        .raw(`alter database ${nameOf(test.url)} set default_transaction_read_only = ${value}`)
        .execute(before.db)
    const write = (db: Db) =>
      sql`insert into settings (name, value) values (${crypto.randomUUID()}, '{}')`.execute(db)
    for (const attempt of [write, (db: Db) => db.transaction().execute(write)]) {
      await takeNoWrites('on')
      await using database = openDatabase({ connectionString: test.url }, { maxConnections: 1, onError })
      await assert.rejects(attempt(database.db), isUnavailable)
      await takeNoWrites('off')
      await attempt(database.db)
    }
  },
)

verifies(
  'db:connection-loss',
  'on a standby, which refuses LISTEN, one connection at a time retries, and notifications arrive once it is the primary',
  async () => {
    await using folder = await temporaryFolder()
    const heard: (string | null)[] = []
    let refusals = 0
    const first = await startPostgresIn(await prepareDataFolder(folder.path))
    const { connection, cluster } = first.postgres
    await using notifications = await openNotifications({
      connection,
      onError: (error) => void (/during recovery/.test(error.message) && refusals++),
      retryMs: 10,
    })
    await notifications.listen('bellhop_test', (payload) => heard.push(payload))
    await first[Symbol.asyncDispose]()
    await writeFile(join(cluster, 'standby.signal'), '')
    await using standby = await startPostgresIn(folder.path)
    await until(() => refusals >= 20)
    const open = await standby.ask(
      `select count(*) from pg_stat_activity where application_name = 'bellhop notifications'`,
    )
    assert.ok(Number(open) <= 2, `${open} connections`)
    await standby.ask('select pg_promote()')
    await until(() => heard.includes(null))
    await standby.ask(`select pg_notify('bellhop_test', 'after')`)
    await until(() => heard.includes('after'))
  },
)

verifies(
  'db:connection-loss',
  'a database on this machine that is slow to accept a connection is waited for; one elsewhere counts as unreachable',
  async () => {
    await using test = await createTestDatabase()
    const { searchParams, port } = new URL(test.url)
    const real = `${searchParams.get('host')}/.s.PGSQL.${port}`
    await using folder = await temporaryFolder()
    const slow = createServer((near) => {
      near.on('error', () => undefined)
      setTimeout(
        () =>
          near
            .pipe(connectTo(real))
            .on('error', () => undefined)
            .pipe(near),
        6_000,
      )
    })
    await using stack = new AsyncDisposableStack()
    stack.defer(() => void slow.close())
    slow.listen(join(folder.path, `.s.PGSQL.${port}`))
    const here = new URL(test.url)
    here.searchParams.set('host', folder.path)
    const ask = async (url: string) => {
      await using database = openDatabase({ connectionString: url }, { maxConnections: 1, onError })
      return (await sql`select 1 as one`.execute(database.db)).rows
    }
    const elsewhere = createServer((near) => void near.on('error', () => undefined)).listen(0, '127.0.0.1')
    stack.defer(() => void elsewhere.close())
    await once(elsewhere, 'listening')
    const { port: silent } = elsewhere.address() as AddressInfo
    const [answered] = await Promise.all([
      ask(here.href),
      assert.rejects(ask(`postgres://x@127.0.0.1:${silent}/x`), /timeout/),
    ])
    assert.deepEqual(answered, [{ one: 1 }])
  },
)

verifies(
  ['db:connection-loss', 'http:readyz'],
  'a database that lets nobody in, or has another name for a while, is unavailable, which is no fault of Bellhop',
  async () => {
    await using test = await createTestDatabase()
    const name = nameOf(test.url)
    const role = `role_${name}`
    await using admin = openDatabase(
      { connectionString: test.url.replace(name, 'postgres') },
      { maxConnections: 1, onError },
    )
    const administer = (statement: string) => sql.raw(statement).execute(admin.db)
    const disconnect = () =>
      administer(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
    await administer(`create role ${role} superuser login`)
    const url = new URL(test.url)
    url.username = role
    const app = await startTestApp({ databaseUrl: url.href, log })
    try {
      for (const [breaks, mends] of [
        [`alter role ${role} nologin`, `alter role ${role} login`],
        [`alter database ${name} allow_connections false`, `alter database ${name} allow_connections true`],
        [`alter database ${name} rename to ${name}_away`, `alter database ${name}_away rename to ${name}`],
      ]) {
        await until(async () => (await app.api('GET', '/readyz')).status === 200)
        // A database can be renamed only while nobody is connected, and we connect again at once.
        await until(async () => {
          await disconnect()
          return administer(breaks ?? '').then(
            () => true,
            () => false,
          )
        })
        await disconnect()
        for (const path of ['/readyz', '/api/v1/webhooks']) {
          const { status, body } = await app.api<{ type: string }>('GET', path)
          assert.deepEqual([breaks, path, status, body.type], [breaks, path, 503, 'unavailable'])
        }
        await administer(mends ?? '')
        await disconnect()
      }
    } finally {
      await app[Symbol.asyncDispose]()
      await administer(`reassign owned by ${role} to current_user`)
      await administer(`drop role ${role}`)
    }
  },
)

verifies(
  'db:connection-loss',
  'a connection that is cut before its first statement is answered fails that statement, not the process',
  async () => {
    await using test = await createTestDatabase()
    const { searchParams, port } = new URL(test.url)
    await using folder = await temporaryFolder()
    const cutting = createServer((near) => {
      const far = connectTo(`${searchParams.get('host')}/.s.PGSQL.${port}`)
      near.on('data', (sent) => (sent.includes('set_config') ? near.destroy() : far.write(sent)))
      far.on('data', (answer) => near.write(answer))
      near.on('close', () => far.destroy())
    })
    await using stack = new AsyncDisposableStack()
    stack.defer(() => void cutting.close())
    cutting.listen(join(folder.path, `.s.PGSQL.${port}`))
    const url = new URL(test.url)
    url.searchParams.set('host', folder.path)
    await using database = openDatabase({ connectionString: url.href }, { maxConnections: 1, onError })
    await assert.rejects(sql`select 1`.execute(database.db), isUnavailable)
  },
)

verifies(
  'db:connection-loss',
  'a statement that the server aborts because of its own time limit can be repeated',
  async () => {
    await using test = await createTestDatabase()
    await using database = openDatabase({ connectionString: test.url }, { maxConnections: 1, onError })
    await sql`set statement_timeout = 50`.execute(database.db)
    await assert.rejects(sql`select pg_sleep(30)`.execute(database.db), (error) => isUnavailable(error))
  },
)
