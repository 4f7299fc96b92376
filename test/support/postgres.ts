import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import pg from 'pg'
import { type Jobs, jobs } from '../../src/jobs.ts'
import { migrationsFolder } from '../../src/open-store.ts'
import { openDataFolder } from '../../src/platform/data-folder.ts'
import { openDatabase } from '../../src/platform/db/database.ts'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { createLog } from '../../src/platform/log.ts'
import { openQueue } from '../../src/platform/queue/queue.ts'

const template = 'template_bellhop'
const variable = 'TEST_POSTGRES_URL'

type TestServer = AsyncDisposable & { url: string }

/** One PostgreSQL for a whole test run, with a migrated database to clone. Nobody will miss it: it need not be durable. */
export async function startTestServer(): Promise<TestServer> {
  await using stack = new AsyncDisposableStack()
  const path = await mkdtemp(join(tmpdir(), 'bellhop-test-'))
  stack.defer(() => rm(path, { recursive: true, force: true }))
  const log = await createLog({ level: 'error', pretty: false })
  const folder = stack.use(await openDataFolder(path))
  const { connection } = stack.use(
    await startEmbeddedPostgres({
      folder,
      log,
      settings: { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' },
    }),
  )
  const url = `postgres://${connection.user}@localhost:${connection.port}/postgres?host=${encodeURIComponent(connection.host)}`
  await makeTemplate(url)
  const opened = stack.move()
  return { url, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** A database of its own, dropped when disposed. */
export async function createTestDatabase(
  options: { empty?: boolean } = {},
): Promise<AsyncDisposable & { url: string }> {
  const server = await testServerUrl()
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  await administer(server, `create database ${name} template ${options.empty ? 'template0' : template}`)
  return {
    url: databaseUrl(server, name),
    [Symbol.asyncDispose]: () => administer(server, `drop database if exists ${name} with (force)`),
  }
}

let ownServer: Promise<TestServer> | undefined

/** The run's server (test/support/global-setup.ts), or one of this file's own when it is run alone. */
async function testServerUrl(): Promise<string> {
  const shared = process.env[variable]
  if (shared) return shared
  if (!ownServer) {
    ownServer = startTestServer()
    after(async () => (await ownServer)?.[Symbol.asyncDispose]())
  }
  return (await ownServer).url
}

export function shareTestServer(url: string): void {
  process.env[variable] = url
}

async function makeTemplate(server: string): Promise<void> {
  await administer(server, `create database ${template}`)
  await using database = openDatabase(
    { connectionString: databaseUrl(server, template) },
    { maxConnections: 2, onError: () => undefined },
  )
  await migrate(database.db, migrationsFolder)
  await using _queue = await openQueue<Jobs>({ database, jobs, supervises: false, onError: () => undefined })
}

function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
