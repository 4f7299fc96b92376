import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const root = join(import.meta.dirname, '../..')

function start(program: string, args: string[], dataDir: string) {
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const said = { text: '' }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (said.text += bytes))
  return { child, said, closed: once(child, 'close') }
}

verifies(
  'house:one-command-start',
  'Ctrl-C during the first start is no error; then npm start sets up what is needed, serves the dashboard, and stops on Ctrl-C or when only npm gets the signal',
  async () => {
    await using folder = await temporaryFolder()
    const early = start(process.execPath, ['src/main.ts', 'start'], folder.path)
    // The database is being made, or has just been.
    await until(() => readdirSync(folder.path).some((name) => name.startsWith('postgres')))
    if (early.child.pid) process.kill(-early.child.pid, 'SIGINT')
    await early.closed
    assert.equal(early.said.text, 'Stopped before it was ready; the next start begins again.\n')

    // A terminal signals npm and all that it started; a service manager, a container or `kill` only npm.
    const stops = [
      (pid: number) => process.kill(-pid, 'SIGINT'),
      (pid: number) => process.kill(pid, 'SIGTERM'),
    ]
    for (const stop of stops) {
      const { child: npm, said, closed } = start('npm', ['start'], folder.path)
      try {
        await until(() => said.text.includes('Ctrl-C stops it') || npm.exitCode !== null)
        const url = /Open\s+(http:\S+)/.exec(said.text)?.[1]
        assert.ok(url, said.text)
        assert.match(said.text, /Create the first admin/)
        assert.equal((await fetch(`${url}/readyz`)).status, 200)
        assert.match(await (await fetch(url)).text(), /<div id="root">/)
      } finally {
        if (npm.pid && npm.exitCode === null) stop(npm.pid)
        await closed
      }
      assert.match(said.text, /Stopped\./)
    }
  },
)
