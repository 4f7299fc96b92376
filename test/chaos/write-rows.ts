import pg from 'pg'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import { openDataFolder } from '../../src/platform/files/data-folder.ts'
import { createLog } from '../../src/platform/log.ts'

/**
 * A process to be killed: `node test/chaos/write-rows.ts <data folder>`. Commits numbered rows as fast as it can and says
 * each number only after its commit was acknowledged. A lost connection is opened again; SIGTERM ends it cleanly.
 */
const [path = ''] = process.argv.slice(2)
const stopping = new AbortController()
process.once('SIGTERM', () => stopping.abort())

try {
  await using folder = await openDataFolder(path)
  const log = await createLog({ level: 'silent', pretty: false })
  await using postgres = await startEmbeddedPostgres({ folder, log })
  say(`cluster ${postgres.cluster}`)
  let next = 0
  while (!stopping.signal.aborted) next = await writeUntilLost(postgres.connection, next)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}

/** Returns the next number: one whose commit was not acknowledged may or may not be stored, and is skipped. */
async function writeUntilLost(connection: pg.ClientConfig, from: number): Promise<number> {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  let number = from
  try {
    await client.connect()
    await client.query('create table if not exists rows (number bigint primary key)')
    const { rows } = await client.query('select coalesce(max(number), 0) + 1 as next from rows')
    for (number = Math.max(from, Number(rows[0].next)); !stopping.signal.aborted; number++) {
      await client.query('insert into rows values ($1)', [number])
      say(`committed ${number}`)
    }
  } catch {
    number++
  }
  await client.end().catch(() => {})
  return number
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
