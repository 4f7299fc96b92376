import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { plainEnv } from '../support/plain-env.ts'
import { startService } from '../support/start-service.ts'
import { testApiKey } from '../support/start-test-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const main = join(import.meta.dirname, '../../src/main.ts')

verifies(
  'log:never-in-the-way',
  'a service whose log reader is gone keeps working and stops cleanly',
  async () => {
    await using folder = await temporaryFolder()
    await using service = await startService({ DATA_DIR: folder.path, API_KEY: testApiKey })
    service.child.stdout?.destroy()
    for (let n = 0; n < 20; n++) await service.api('GET', '/runs')
    assert.equal(await service.stop('SIGTERM'), 0, service.output())
  },
)

verifies(
  'log:never-in-the-way',
  'a service whose log is on a full disk starts, works and stops cleanly',
  async () => {
    await using folder = await temporaryFolder()
    const port = String(await freePort())
    const env = { ...plainEnv, DATA_DIR: folder.path, PORT: port, API_KEY: testApiKey }
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
    child.kill('SIGTERM')
    assert.equal((await exited)[0], 0, said)
  },
)
