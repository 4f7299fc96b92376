import { rmSync } from 'node:fs'
import { glob, mkdtemp, rm, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { migrationsFolder } from '../../src/app/open-store.ts'
import { type Jobs, jobs } from '../../src/jobs.ts'
import { openDatabase } from '../../src/platform/db/database.ts'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { openDataFolder } from '../../src/platform/files/data-folder.ts'
import { createLog } from '../../src/platform/log.ts'
import { openQueue } from '../../src/platform/queue/queue.ts'

export const template = 'template_bellhop'
const variable = 'TEST_POSTGRES_URL'
const prefix = 'bellhop-test-'

type TestServer = AsyncDisposable & { url: string }

/** One PostgreSQL for a whole test run, with a migrated database to clone. It need not be durable. */
export async function startTestServer(): Promise<TestServer> {
  await using stack = new AsyncDisposableStack()
  const room = await roomInMemory()
  await removeLeftBehind(room)
  const path = await mkdtemp(join(room, prefix))
  // With --test-force-exit the process ends before all of this is closed, and the folder would stay in memory.
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  process.once('exit', remove)
  stack.defer(() => {
    process.off('exit', remove)
    remove()
  })
  const log = await createLog({ level: 'error', pretty: false })
  const folder = stack.use(await openDataFolder(path))
  const { connection } = stack.use(
    await startEmbeddedPostgres({
      folder,
      log,
      settings: {
        fsync: 'off',
        synchronous_commit: 'off',
        full_page_writes: 'off',
        max_connections: '300',
        max_wal_size: '256MB',
        wal_level: 'minimal',
        wal_compression: 'off',
        max_wal_senders: '0',
        // Hundreds of databases live for a second each.
        autovacuum: 'off',
      },
    }),
  )
  const url = `postgres://${connection.user}@localhost:${connection.port}/postgres?host=${encodeURIComponent(connection.host)}`
  await makeTemplate(url)
  const opened = stack.move()
  return { url, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** Hundreds of databases with hundreds of files come and go, which gets slower on a disk. Uses memory if there is enough. */
async function roomInMemory(): Promise<string> {
  const memory = '/dev/shm'
  const enough = 2 * 2 ** 30
  const room = await statfs(memory).catch(() => undefined)
  return room && room.bavail * room.bsize > enough ? memory : tmpdir()
}

/** A run that was interrupted leaves the folder of its server behind, of some 100 MB. */
async function removeLeftBehind(room: string): Promise<void> {
  const anHourAgo = Date.now() - 3_600_000
  for await (const name of glob(`${prefix}*`, { cwd: room })) {
    const path = join(room, name)
    try {
      if ((await stat(path)).mtimeMs > anHourAgo) continue
      // Fails while a run uses it.
      await (await openDataFolder(path))[Symbol.asyncDispose]()
      await rm(path, { recursive: true, force: true })
    } catch {
      // In use, or somebody else's.
    }
  }
}

export function shareTestServer(url: string): void {
  process.env[variable] = url
}

export function sharedTestServer(): string | undefined {
  return process.env[variable]
}

/** For a process that runs tests itself. */
export function sharedTestServerEnv(): Record<string, string> {
  const shared = sharedTestServer()
  return shared ? { [variable]: shared } : {}
}

async function makeTemplate(server: string): Promise<void> {
  await administer(server, `create database ${template}`)
  await using database = openDatabase(
    { connectionString: databaseUrl(server, template) },
    { maxConnections: 2, onError: () => undefined },
  )
  await migrate(database.db, migrationsFolder)
  await using _queue = await openQueue<Jobs>({ database, jobs, supervises: true, onError: () => undefined })
}

export function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

export async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
