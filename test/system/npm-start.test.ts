import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'house:one-command-start',
  'npm start sets up what is needed, serves the dashboard, and stops on Ctrl-C or when only npm gets the signal',
  async () => {
    await using folder = await temporaryFolder()
    // A terminal signals npm and all that it started; a service manager, a container or `kill` only npm.
    const stops = [
      (pid: number) => process.kill(-pid, 'SIGINT'),
      (pid: number) => process.kill(pid, 'SIGTERM'),
    ]
    for (const stop of stops) {
      const npm = spawn('npm', ['start'], {
        cwd: join(import.meta.dirname, '../..'),
        env: { ...process.env, DATA_DIR: folder.path, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn' },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      })
      let said = ''
      for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (bytes) => (said += bytes))
      const closed = once(npm, 'close')
      try {
        await until(() => said.includes('Ctrl-C stops it') || npm.exitCode !== null)
        const url = /Open\s+(http:\S+)/.exec(said)?.[1]
        assert.ok(url, said)
        assert.equal((await fetch(`${url}/readyz`)).status, 200)
        assert.match(await (await fetch(url)).text(), /<div id="root">/)
      } finally {
        if (npm.pid && npm.exitCode === null) stop(npm.pid)
        await closed
      }
      assert.match(said, /Stopped\./)
    }
  },
)

verifies(
  'house:one-command-start',
  'Ctrl-C during the first start is not an error, and the next start works like a first one',
  async () => {
    await using folder = await temporaryFolder()
    const start = () => {
      const bellhop = spawn(process.execPath, ['src/main.ts', 'start'], {
        cwd: join(import.meta.dirname, '../..'),
        env: { ...process.env, DATA_DIR: folder.path, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn' },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      })
      const said = { text: '' }
      for (const stream of [bellhop.stdout, bellhop.stderr])
        stream.on('data', (bytes) => (said.text += bytes))
      return { bellhop, said, exited: once(bellhop, 'exit') }
    }
    const first = start()
    // The database is being made, or has just been.
    await until(() => readdirSync(folder.path).some((name) => name.startsWith('postgres')))
    if (first.bellhop.pid) process.kill(-first.bellhop.pid, 'SIGINT')
    await first.exited
    assert.match(first.said.text, /^Stopped before it was ready; the next start begins again\.\n$/)

    const second = start()
    try {
      await until(() => second.said.text.includes('Ctrl-C stops it') || second.bellhop.exitCode !== null)
      assert.match(second.said.text, /Create the first admin/)
    } finally {
      if (second.bellhop.pid && second.bellhop.exitCode === null) process.kill(-second.bellhop.pid, 'SIGINT')
      await second.exited
    }
  },
)
