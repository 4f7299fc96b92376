import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { createVault } from '../../src/platform/crypto/vault.ts'
import { openDatabase } from '../../src/platform/db/database.ts'
import { findRunningPostgres } from '../../src/platform/db/embedded/find-running-postgres.ts'
import { readPostmasterFile } from '../../src/platform/db/embedded/postmaster-file.ts'
import { Secret } from '../../src/platform/secret.ts'
import type { About } from '../../src/status/contract.ts'
import { plainEnv } from '../support/plain-env.ts'
import { prepareDataFolder } from '../support/prepare-data-folder.ts'
import { startService } from '../support/start-service.ts'
import { general } from '../support/start-shop.ts'
import { startTarget } from '../support/start-target.ts'
import { startTestApp, testApiKey } from '../support/start-test-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const run = promisify(execFile)
const main = join(import.meta.dirname, '../../src/main.ts')

type Api = <T>(method: string, path: string, body?: unknown) => Promise<T>

async function createWebhook(api: Api): Promise<{ id: string; endpointUrl: string }> {
  return await api('POST', '/webhooks', {
    name: 'Orders',
    channelId: general,
    prompt: 'Say what happened.',
    active: true,
  })
}

async function createConnector(api: Api, name: string, baseUrl: string): Promise<void> {
  await api('POST', '/connectors', {
    type: 'http',
    name,
    baseUrl,
    authType: 'bearer',
    authValue: `token-of-${name}`,
    tools: [
      {
        name: 'get_order',
        description: 'Reads the order',
        method: 'GET',
        path: '/order',
        capability: 'read',
        inputSchema: { type: 'object' },
      },
    ],
  })
}

/** Through the gate, as any program may. Returns the status of the target's answer, or why there is none. */
async function callTool(url: string, name: string): Promise<unknown> {
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${testApiKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
  })
  const text = await answer.text()
  return text.includes('{\\"ok\\":true}') ? 200 : text
}

verifies(
  [
    'house:start-block',
    'house:clean-stop',
    'house:unclean-end',
    'vault:key-file-private',
    'vault:rotation-online',
    'cli:rotate-encryption-key',
    'log:json-or-pretty',
    'api:about',
  ],
  'the service prints its address, keeps its key private, survives a key rotation while it runs, and leaves no process behind',
  async () => {
    await using folder = await temporaryFolder()
    await using target = await startTarget()
    const env = {
      DATA_DIR: await prepareDataFolder(folder.path),
      API_KEY: testApiKey,
      EGRESS_PRIVATE_EXCEPTIONS: target.pair,
    }
    await using service = await startService(env)
    const said = service.output()
    for (const part of [
      service.url,
      folder.path,
      'offline (no language model)',
      'built-in workspace',
      `${service.url}/setup#token=`,
    ]) {
      assert.ok(said.includes(part), `${part} is not in:\n${said}`)
    }
    const keyFile = join(folder.path, 'encryption-key')
    assert.equal((await stat(keyFile)).mode & 0o777, 0o600)

    const about = await service.api<About>('GET', '/about')
    assert.equal(about.database.kind, 'embedded')
    assert.ok((about.dataFolder?.freeBytes ?? 0) > 0)

    const webhook = await createWebhook(service.api)
    for (const name of ['Called', 'Known']) await createConnector(service.api, name, target.origin)
    assert.equal(await callTool(service.url, 'called__get_order'), 200)
    const keyBefore = await readFile(keyFile, 'utf8')
    const underWay = await rotateDuringWrite(folder.path, keyBefore.trim(), env)
    assert.match(underWay.stdout, /Secrets sealed with the new key/)
    const keyAfter = await readFile(keyFile, 'utf8')
    assert.ok(underWay.opensWith(keyAfter.trim()), 'what was sealed with the former key and written later')
    assert.notEqual(keyAfter, keyBefore)
    assert.equal(keyAfter.trim().split('\n').length, 1)
    await until(async () => {
      const revealed = await service
        .api<{ endpointUrl: string }>('POST', `/webhooks/${webhook.id}/reveal`)
        .catch(() => null)
      return revealed?.endpointUrl === webhook.endpointUrl
    })
    // What was sealed with the former key is not kept from before: neither of a connector that was used nor of another one.
    for (const tool of ['called__get_order', 'known__get_order'])
      assert.equal(await callTool(service.url, tool), 200)
    assert.deepEqual(
      target.seen.map(({ headers }) => headers.authorization),
      ['Bearer token-of-Called', 'Bearer token-of-Called', 'Bearer token-of-Known'],
    )

    // The last line may be incomplete.
    const logLines = service
      .output()
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('{'))
    assert.ok(logLines.length > 0 && logLines.every((line) => typeof JSON.parse(line).msg === 'string'))
    assert.equal(await service.stop('SIGTERM'), 0)
    const left = () =>
      run('pgrep', ['-f', folder.path]).then(
        ({ stdout }) => stdout,
        () => '',
      )
    await until(async () => (await left()) === '')

    await using again = await startService(env)
    assert.doesNotMatch(again.output(), /unclean/)
    assert.ok(await again.api('POST', `/webhooks/${webhook.id}/reveal`))

    const frozen = await postgresOf(folder.path)
    for (const pid of frozen) process.kill(pid, 'SIGSTOP')
    try {
      await again.stop('SIGTERM')
      assert.match(again.output(), /The database has not answered for 5 s/)
    } finally {
      for (const pid of frozen) process.kill(pid, 'SIGKILL')
    }
    await using last = await startService(env)
    assert.ok(await last.api('POST', `/webhooks/${webhook.id}/reveal`), 'nothing is lost')
  },
)

/** The PostgreSQL processes of this data folder. */
async function postgresOf(dataFolder: string): Promise<number[]> {
  const cluster = (await findRunningPostgres(dataFolder))?.cluster ?? ''
  const server = (await readPostmasterFile(cluster))?.pid ?? 0
  const { stdout } = await run('pgrep', ['-P', String(server)])
  return [server, ...stdout.trim().split('\n').map(Number)]
}

/** Rotates the key while a value that is sealed with the former one is written and not yet committed. */
async function rotateDuringWrite(dataFolder: string, former: string, env: Record<string, string>) {
  const place = { table: 'settings', row: 'model', column: 'secret' }
  const sealed = createVault([new Secret(former)]).seal(new Secret('planted-key'), place)
  const running = await findRunningPostgres(dataFolder)
  assert.ok(running)
  await using database = openDatabase(running.connection, { maxConnections: 2, onError: () => undefined })
  const read = async (what: 'canary' | 'settings') => {
    const { rows } = await (what === 'canary'
      ? sql<{ sealed: string }>`select sealed from vault_canary`
      : sql<{ sealed: string }>`select secret as sealed from settings where name = 'model'`
    ).execute(database.db)
    return rows[0]?.sealed ?? ''
  }
  const before = await read('canary')
  const { rotation } = await database.db.transaction().execute(async (tx) => {
    const offline = JSON.stringify({ provider: 'offline', name: '', baseUrl: null, contextTokens: null })
    await sql`insert into settings (name, value, secret) values ('model', ${offline}, ${sealed})`.execute(tx)
    const begun = run(process.execPath, [main, 'rotate-encryption-key'], {
      env: { ...plainEnv, ...env },
    })
    // The first pass has begun, and cannot see what is written here.
    await until(async () => (await read('canary')) !== before)
    return { rotation: begun }
  })
  const { stdout } = await rotation
  const written = await read('settings')
  const opensWith = (key: string) =>
    createVault([new Secret(key)])
      .open(written, place)
      .reveal() === 'planted-key'
  return { stdout, opensWith }
}

verifies(
  'config:role',
  'a web process accepts and starts nothing; a worker on the same database does the work',
  async () => {
    await using database = await createTestDatabase()
    await using web = await startTestApp({ databaseUrl: database.url, env: { ROLE: 'web' } })
    const webhook = await createWebhook(
      async (method, path, body) => (await web.api<never>(method, `/api/v1${path}`, body)).body,
    )
    const delivered = await fetch(webhook.endpointUrl, {
      method: 'POST',
      body: '{"event":"x"}',
      headers: { 'content-type': 'application/json' },
    })
    const { runId } = (await delivered.json()) as { runId: string }
    const status = async () => (await web.get<{ status: string }>(`/api/v1/runs/${runId}`)).status
    // A second web process has all the time it needs to start, and works on nothing either.
    await using _other = await startTestApp({ databaseUrl: database.url, env: { ROLE: 'web' } })
    assert.equal(await status(), 'queued')

    await using worker = await startTestApp({ databaseUrl: database.url, env: { ROLE: 'worker' } })
    await until(async () => (await status()) === 'succeeded')
    // It serves only health and metrics.
    assert.equal((await worker.api('GET', '/readyz')).status, 200)
    assert.equal((await worker.api('GET', '/api/v1/runs')).status, 404)
    for (const path of ['/', '/sign-in', new URL(webhook.endpointUrl).pathname]) {
      assert.equal((await fetch(worker.url + path)).status, 404, path)
    }
  },
)
