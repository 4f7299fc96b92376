import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openDataFolder } from '../../src/platform/files/data-folder.ts'
import { prepareDataFolder } from '../support/prepare-data-folder.ts'
import { startPostgresIn } from '../support/start-postgres-in.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'db:data-folder-exclusive',
  'a second process is told who uses the folder and what to do, even after an attempt of the first, which goes on',
  async () => {
    await using folder = await temporaryFolder()
    await using running = await startPostgresIn(await prepareDataFolder(folder.path))

    // A refused attempt in the same process does not release the lock.
    await assert.rejects(openDataFolder(folder.path), { name: 'FolderInUse' })
    const second = await tryToWrite(folder.path)

    assert.equal(second.code, 1)
    assert.ok(second.complaint.includes(folder.path), second.complaint)
    assert.match(second.complaint, new RegExp(`process ${process.pid}\\b.*DATA_DIR`))
    assert.equal(await running.ask('select 1'), 1)
  },
)

verifies(
  'db:survives-kill',
  'a database without its first file is left alone and called damaged',
  async () => {
    await using folder = await temporaryFolder()
    const cluster = join(folder.path, 'postgres')
    await mkdir(join(cluster, 'base'), { recursive: true })
    await assert.rejects(startPostgresIn(folder.path), /is damaged: its file PG_VERSION is missing\. Restore/)
    assert.deepEqual(await readdir(cluster), ['base'])
  },
)

verifies(
  'db:survives-kill',
  'lock and pid files of a dead process do not matter, even if its number is in use again',
  async () => {
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'lock'), '')
    await writeFile(join(folder.path, 'pid'), `${process.pid}\n`)

    await using opened = await openDataFolder(folder.path)

    assert.equal(opened.path, folder.path)
  },
)

verifies(
  'db:survives-kill',
  'PostgreSQL’s lock files that name an unrelated live process are removed, and that process keeps running',
  async () => {
    await using folder = await temporaryFolder()
    let cluster: string
    let socket: string
    {
      await using first = await startPostgresIn(await prepareDataFolder(folder.path))
      cluster = first.postgres.cluster
      socket = first.postgres.connection.host
    }
    const { uid, gid } = await stat(cluster)
    await using bystander = startBystander(uid, gid)
    const lines = `${bystander.pid}\n${cluster}\n0\n5432\n${socket}\n`
    for (const file of [join(cluster, 'postmaster.pid'), join(socket, '.s.PGSQL.5432.lock')]) {
      await writeFile(file, lines, { mode: 0o600 })
      await chown(file, uid, gid)
    }
    await using running = await startPostgresIn(folder.path)

    assert.equal(await running.ask('select 1'), 1)
    assert.ok(process.kill(bystander.pid, 0))
  },
)

verifies('db:survives-kill', 'a start that died while it created the cluster is repeated', async () => {
  await using folder = await temporaryFolder()
  await mkdir(join(folder.path, 'postgres.new-abc'))
  await writeFile(join(folder.path, 'postgres.new-abc/PG_VERSION'), '18\n')
  await using running = await startPostgresIn(folder.path)

  assert.equal(await running.ask('select 1'), 1)
  assert.ok(!(await readdir(folder.path)).includes('postgres.new-abc'))
})

verifies('db:dies-with-us', 'after kill -9 of the service its PostgreSQL ends too', async () => {
  await using folder = await temporaryFolder()
  await prepareDataFolder(folder.path)
  const writer = spawn(process.execPath, [writeRows, folder.path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: writer.stdout })[Symbol.asyncIterator]()
  const cluster = String((await lines.next()).value).replace('cluster ', '')
  const postmasterFile = join(cluster, 'postmaster.pid')
  assert.match(await readFile(postmasterFile, 'utf8'), /^\d+$/m)
  writer.kill('SIGKILL')

  // PostgreSQL removes the file as the last act of an orderly shutdown.
  await until(async () => (await stat(postmasterFile).catch(() => null)) === null)
})

verifies(
  'db:private',
  'a secret in the data folder is created once, readable by its owner only',
  async () => {
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'data')
    await using opened = await openDataFolder(path)

    assert.equal(await opened.readOrCreate('key', () => 'first'), 'first')
    assert.equal(await opened.readOrCreate('key', () => 'second'), 'first')
    assert.equal((await stat(join(path, 'key'))).mode & 0o777, 0o600)
    assert.equal((await stat(path)).mode & 0o066, 0)
  },
)

const writeRows = join(import.meta.dirname, '../chaos/write-rows.ts')

async function tryToWrite(folder: string): Promise<{ code: number | null; complaint: string }> {
  const writer = spawn(process.execPath, [writeRows, folder], { stdio: ['ignore', 'ignore', 'pipe'] })
  let complaint = ''
  writer.stderr.on('data', (chunk) => {
    complaint += chunk
  })
  const [code] = await once(writer, 'close')
  return { code, complaint }
}

/** A process of the user who runs PostgreSQL, but none of PostgreSQL's. */
function startBystander(uid: number, gid: number): AsyncDisposable & { pid: number } {
  const as = process.getuid?.() === 0 ? { uid, gid } : {}
  const child = spawn('/bin/sh', ['-c', 'read -r line'], {
    ...as,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = once(child, 'exit')
  return {
    // spawn of /bin/sh gives a pid, or emits the error that fails the test.
    pid: child.pid ?? 0,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
