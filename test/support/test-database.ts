import { after } from 'node:test'
import { administer, databaseUrl, sharedTestServer, startTestServer, template } from './postgres.ts'

let ownServer: ReturnType<typeof startTestServer> | undefined
after(async () => (await ownServer)?.[Symbol.asyncDispose]())

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
  await administer(server, `create database ${name} template ${source} ${encoding} strategy file_copy`)
  return {
    url: databaseUrl(server, name),
    [Symbol.asyncDispose]: () => administer(server, `drop database if exists ${name} with (force)`),
  }
}
