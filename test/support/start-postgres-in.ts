import pg from 'pg'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import { openDataFolder } from '../../src/platform/files/data-folder.ts'
import { createLog } from '../../src/platform/log.ts'

type Running = AsyncDisposable & {
  postgres: EmbeddedPostgres
  /** The first column of the first row. */
  ask(sql: string): Promise<unknown>
}

/** The embedded PostgreSQL as the service starts it, with durable settings, in a folder that the test chose. */
export async function startPostgresIn(path: string): Promise<Running> {
  await using stack = new AsyncDisposableStack()
  const folder = stack.use(await openDataFolder(path))
  const log = await createLog({ level: 'silent', pretty: false })
  const postgres = stack.use(await startEmbeddedPostgres({ folder, log }))
  const opened = stack.move()
  return {
    postgres,
    async ask(sql) {
      const client = new pg.Client({ ...postgres.connection })
      client.on('error', () => {})
      await client.connect()
      try {
        const { rows } = await client.query({ text: sql, rowMode: 'array' })
        return rows[0]?.[0]
      } finally {
        await client.end()
      }
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
