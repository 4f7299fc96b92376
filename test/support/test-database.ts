import { after } from 'node:test'
import pg from 'pg'
import { databaseUrl, sharedTestServer, startTestServer, template } from './postgres.ts'
// For its hook, which then comes before those of this file: what it ends still needs the server.
import './share-in-file.ts'

let ownServer: ReturnType<typeof startTestServer> | undefined
/** One connection for all databases of a process: a new one takes the server a third of the time of a database. */
let admin: Promise<pg.Client> | undefined
after(async () => {
  await (await admin)?.end()
  await (await ownServer)?.[Symbol.asyncDispose]()
})

async function connectAdmin(server: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  return client
}

/** The run's server (test/support/global-setup.ts), or one for this file when it is run alone. */
async function testServerUrl(): Promise<string> {
  const shared = sharedTestServer()
  if (shared) return shared
  ownServer ??= startTestServer()
  return (await ownServer).url
}

/** A database of its own, dropped when disposed. */
export async function createTestDatabase(
  options: { empty?: boolean; encoding?: string } = {},
): Promise<AsyncDisposable & { url: string }> {
  const server = await testServerUrl()
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  // The default strategy also writes each page to the WAL, which takes ten times as long.
  const source = options.empty || options.encoding ? 'template0' : template
  const encoding = options.encoding ? `encoding '${options.encoding}' locale 'C'` : ''
  admin ??= connectAdmin(server)
  const client = await admin
  await client.query(`create database ${name} template ${source} ${encoding} strategy file_copy`)
  return {
    url: databaseUrl(server, name),
    [Symbol.asyncDispose]: async () =>
      void (await client.query(`drop database if exists ${name} with (force)`)),
  }
}
