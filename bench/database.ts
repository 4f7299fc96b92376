import pg from 'pg'
import { startEmbeddedPostgres } from '../src/platform/db/embedded/start-embedded-postgres.ts'
import { openDataFolder } from '../src/platform/files/data-folder.ts'
import { createLog } from '../src/platform/log.ts'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { type BenchService, startBenchService } from './service.ts'

export type Bench = {
  /** The environment of a service on a new database of this name. */
  create(name: string): Promise<Record<string, string>>
  /** A service on a new database of this name, and a connection to that database. */
  open(name: string): Promise<{ service: BenchService; client: pg.Client }>
}

/** A PostgreSQL that the benchmark can fill directly. Everything is disposed with the stack. */
export async function startBenchDatabase(
  stack: AsyncDisposableStack,
  settings: Record<string, string> = {},
  dataDir?: string,
): Promise<Bench> {
  const path = dataDir ?? stack.use(await temporaryFolder()).path
  const log = await createLog({ level: 'error', pretty: false })
  const folder = stack.use(await openDataFolder(path))
  const { connection } = stack.use(await startEmbeddedPostgres({ folder, log, settings }))
  const connect = async (database: string) => {
    const client = new pg.Client({ ...connection, database })
    await client.connect()
    return client
  }
  async function create(name: string): Promise<Record<string, string>> {
    const admin = await connect(connection.database)
    await admin.query(`create database ${name}`)
    await admin.end()
    const { user, host, port } = connection
    return {
      DATABASE_URL: `postgres://${user}@localhost:${port}/${name}?host=${encodeURIComponent(host)}`,
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    }
  }
  return {
    create,
    async open(name) {
      const service = stack.use(await startBenchService(await create(name)))
      const client = await connect(name)
      stack.defer(() => client.end())
      return { service, client }
    },
  }
}
