import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { plainEnv } from '../support/plain-env.ts'
import { startService } from '../support/start-service.ts'
import { testApiKey, testEncryptionKey } from '../support/start-test-app.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const main = join(import.meta.dirname, '../../src/main.ts')

const envOn = ({ url }: { url: string }) => ({
  DATABASE_URL: url,
  ENCRYPTION_KEY: testEncryptionKey,
  API_KEY: testApiKey,
})

verifies(
  'log:never-in-the-way',
  'a service whose log reader is gone keeps working and stops cleanly',
  async () => {
    await using database = await createTestDatabase()
    await using service = await startService(envOn(database))
    service.child.stdout?.destroy()
    for (let n = 0; n < 20; n++) await service.api('GET', '/runs')
    assert.equal(await service.stop(), 0, service.output())
  },
)

verifies(
  'log:never-in-the-way',
  'a service whose log is on a full disk starts, works and stops cleanly',
  async () => {
    await using database = await createTestDatabase()
    const port = String(await freePort())
    const env = { ...plainEnv, ...envOn(database), PORT: port }
    // Every write to it fails for want of space.
    const child = spawn('/bin/sh', ['-c', 'exec "$0" "$1" start > /dev/full', process.execPath, main], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (bytes) => (said += bytes))
    const exited = once(child, 'exit')
    const ask = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${testApiKey}` } }).then(
        ({ status }) => status,
        () => 0,
      )
    await until(async () => child.exitCode !== null || (await ask('/readyz')) === 200)
    for (let n = 0; n < 20; n++) assert.equal(await ask('/api/v1/runs'), 200, said)
    child.kill('SIGINT')
    assert.equal((await exited)[0], 0, said)
  },
)
