import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFile, chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { openDataFolder } from '../../src/platform/files/data-folder.ts'
import { postmasterOf } from '../chaos/kill-round.ts'
import { prepareDataFolder } from '../support/prepare-data-folder.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startPostgresIn } from '../support/start-postgres-in.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

const sharedCluster = shareInFile(async () => {
  await using stack = new AsyncDisposableStack()
  const { path } = stack.use(await temporaryFolder())
  const data = join(path, 'data')
  const running = stack.use(await startPostgresIn(data))
  const opened = stack.move()
  return { ...running, data, [Symbol.asyncDispose]: () => opened.disposeAsync() }
})

verifies(
  'db:embedded-default',
  'PostgreSQL 18 answers on a socket in the data folder and on no TCP port',
  async () => {
    const running = await sharedCluster()

    assert.match(String(await running.ask('show server_version')), /^18\./)
    assert.equal(await running.ask('show listen_addresses'), '')
    assert.equal(running.postgres.connection.host, join(running.data, 'socket'))
  },
)

verifies(
  'db:durable-settings',
  'committed means on disk, pages have checksums, and a file in the cluster cannot undo it',
  async () => {
    await using folder = await temporaryFolder()
    await prepareDataFolder(folder.path)
    const file = join(folder.path, 'postgres/postgresql.conf')
    await appendFile(file, 'fsync = off\nsynchronous_commit = off\n')
    await using running = await startPostgresIn(folder.path)

    for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums']) {
      assert.equal(await running.ask(`show ${setting}`), 'on', setting)
    }
  },
)

verifies(
  'db:embedded-default',
  'committed rows are there after a clean stop and a new start, even in a copy whose files are open to others',
  async () => {
    await using folder = await temporaryFolder()
    {
      await using first = await startPostgresIn(await prepareDataFolder(folder.path))
      await first.ask("create table notes as select 'kept' as text")
      await first.ask('checkpoint')
    }
    await chmod(join(folder.path, 'postgres'), 0o755)
    await using second = await startPostgresIn(folder.path)

    assert.equal(await second.ask('select text from notes'), 'kept')
  },
)

verifies('db:private', 'folders are closed to others, and the log holds no statement', async () => {
  const running = await sharedCluster()
  await assert.rejects(running.ask("select 'a planted secret'::int"))

  assert.equal((await stat(running.postgres.cluster)).mode & 0o777, 0o700)
  assert.equal((await stat(running.postgres.connection.host)).mode & 0o777, 0o700)
  const log = join(running.data, 'postgres.log')
  assert.equal((await stat(log)).mode & 0o777, 0o600)
  assert.ok(!execFileSync('cat', [log], { encoding: 'utf8' }).includes('planted'))
})

verifies('db:comes-back', 'a killed PostgreSQL is started again and keeps its address', async () => {
  const running = await sharedCluster()
  const killed = postmasterOf(running.postgres.cluster)
  process.kill(killed, 'SIGKILL')

  await until(() => answers(running))
  assert.notEqual(postmasterOf(running.postgres.cluster), killed)
})

verifies(
  'db:dies-with-us',
  'PostgreSQL is in a process group of its own, so that Ctrl-C does not reach it',
  async () => {
    const running = await sharedCluster()
    const postmaster = postmasterOf(running.postgres.cluster)

    assert.equal(groupOf(postmaster), postmaster)
    assert.notEqual(groupOf(process.pid), postmaster)
  },
)

verifies(
  'db:long-socket-path',
  'a data folder with a path of 200 bytes works, and leaves nothing among the temporary files',
  async () => {
    await using folder = await temporaryFolder()
    const deep = join(folder.path, 'long'.repeat(25), 'longer'.repeat(16))
    let socketFolder: string
    {
      await using running = await startPostgresIn(await prepareDataFolder(deep))
      socketFolder = running.postgres.connection.host
      assert.equal(await running.ask('select 1'), 1)
      assert.equal((await stat(socketFolder)).mode & 0o777, 0o700)
      process.kill(postmasterOf(running.postgres.cluster), 'SIGKILL')
      await until(() => answers(running))
    }
    await assert.rejects(stat(socketFolder), { code: 'ENOENT' })
  },
)

verifies(
  'db:start-explained',
  'a cluster of another major version is refused with what to do, and left as it is',
  async () => {
    await using folder = await temporaryFolder()
    await mkdir(join(folder.path, 'postgres'))
    await writeFile(join(folder.path, 'postgres/PG_VERSION'), '17\n')

    await assert.rejects(
      startPostgresIn(folder.path),
      /created by PostgreSQL 17.*brings PostgreSQL 18.*dump/s,
    )
    assert.deepEqual(await readdir(join(folder.path, 'postgres')), ['PG_VERSION'])
  },
)

verifies(
  'db:start-explained',
  'a data folder that cannot be created is refused with what to do',
  async () => {
    await assert.rejects(
      openDataFolder(join(devNull, 'data')),
      /is not a folder\. Name a folder with DATA_DIR/,
    )
  },
)

verifies(
  'db:start-explained',
  'if the file that says where the database is cannot be read, no empty database is created instead',
  async () => {
    await using folder = await temporaryFolder()
    const data = join(folder.path, 'data')
    await mkdir(join(data, 'postgres-location'), { recursive: true })

    await assert.rejects(startPostgresIn(data), /postgres-location.*cannot be read/s)
  },
)

verifies('db:start-explained', 'when PostgreSQL does not start, its last log lines are quoted', async () => {
  await using folder = await temporaryFolder()
  await prepareDataFolder(folder.path)
  await appendFile(join(folder.path, 'postgres/postgresql.conf'), 'no_such_setting = 1\n')
  await assert.rejects(
    startPostgresIn(folder.path),
    /did not start.*unrecognized configuration parameter "no_such_setting".*postgres\.log/s,
  )
})

async function answers(running: Awaited<ReturnType<typeof startPostgresIn>>): Promise<boolean> {
  return (await running.ask('select 1').catch(() => null)) === 1
}

function groupOf(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' }))
}
