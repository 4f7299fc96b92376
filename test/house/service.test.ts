import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { About } from '../../src/status/contract.ts'
import { startService } from '../support/start-service.ts'
import { general } from '../support/start-shop.ts'
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

verifies(
  [
    'house:start-block',
    'house:clean-stop',
    'vault:key-file-private',
    'vault:rotation-online',
    'cli:rotate-encryption-key',
    'log:json-or-pretty',
    'api:about',
  ],
  'the service says where it is, keeps its key private, survives a key rotation while it runs, and stops without a trace',
  async () => {
    await using folder = await temporaryFolder()
    const env = { DATA_DIR: folder.path, API_KEY: testApiKey }
    await using service = await startService(env)
    const said = service.said()
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
    const keyBefore = await readFile(keyFile, 'utf8')
    const rotation = await run(process.execPath, [main, 'rotate-encryption-key'], {
      env: { PATH: process.env.PATH, ...env },
    })
    assert.match(rotation.stdout, /Secrets sealed with the new key/)
    const keyAfter = await readFile(keyFile, 'utf8')
    assert.notEqual(keyAfter, keyBefore)
    assert.equal(keyAfter.trim().split('\n').length, 1)
    await until(async () => {
      const revealed = await service
        .api<{ endpointUrl: string }>('POST', `/webhooks/${webhook.id}/reveal`)
        .catch(() => null)
      return revealed?.endpointUrl === webhook.endpointUrl
    })

    const logLines = service
      .said()
      .split('\n')
      .filter((line) => line.startsWith('{'))
    assert.ok(logLines.length > 0 && logLines.every((line) => typeof JSON.parse(line).msg === 'string'))
    assert.equal(await service.stop('SIGTERM'), 0)
    const left = await run('pgrep', ['-f', folder.path]).then(
      ({ stdout }) => stdout,
      () => '',
    )
    assert.equal(left, '')

    await using again = await startService(env)
    assert.ok(await again.api('POST', `/webhooks/${webhook.id}/reveal`))
  },
)

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
    // It says how it is, and nothing else is to be had from it.
    assert.equal((await worker.api('GET', '/readyz')).status, 200)
    assert.equal((await worker.api('GET', '/api/v1/runs')).status, 404)
    for (const path of ['/', '/sign-in', new URL(webhook.endpointUrl).pathname]) {
      assert.equal((await fetch(worker.url + path)).status, 404, path)
    }
  },
)
