import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openDataFolder } from '../../src/platform/files/data-folder.ts'
import { postmasterOf } from '../chaos/kill-round.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { startPostgresIn } from '../support/start-postgres-in.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { verifies } from '../support/verifies.ts'

const dataFolderModule = import.meta.resolve('../../src/platform/files/data-folder.ts')

// PostgreSQL refuses to run as root, so these are about root alone; an ordinary user passes all the other tests as one.
if (process.getuid?.() === 0) {
  /** A data folder with a row in it, which no process uses. */
  const sharedNotes = shareInFile(async () => {
    await using stack = new AsyncDisposableStack()
    const { path } = stack.use(await temporaryFolder())
    const data = join(path, 'data')
    await using running = await startPostgresIn(data)
    await running.ask("create table notes as select 'kept' as text")
    const ranAs = userOf(postmasterOf(running.postgres.cluster))
    const opened = stack.move()
    return { data, ranAs, [Symbol.asyncDispose]: () => opened.disposeAsync() }
  })
  const textIn = async (data: string) => {
    await using running = await startPostgresIn(data)
    return await running.ask('select text from notes')
  }

  verifies('db:runs-as-root', 'started by root, PostgreSQL runs as nobody', async () => {
    const { data, ranAs } = await sharedNotes()

    assert.equal(ranAs, 'nobody')
    assert.equal((await stat(data)).mode & 0o777, 0o711)
  })

  verifies(
    ['db:runs-as-root', 'db:data-folder-exclusive'],
    'below a folder that only root can enter, the cluster is stored elsewhere and found again, by one process at a time; if it is gone, no empty one is created instead',
    async () => {
      await using closed = await temporaryFolder(0o700)
      const data = join(closed.path, 'data')
      {
        await using place = removedAtTheEnd(data)
        {
          await using first = await startPostgresIn(data)
          await first.ask("create table notes as select 'kept' as text")
          assert.ok(!first.postgres.cluster.startsWith(closed.path))
          // A copy of the data folder points to the same cluster.
          await mkdir(join(closed.path, 'copy'))
          await cp(join(data, 'postgres-location'), join(closed.path, 'copy/postgres-location'))
          await assert.rejects(startPostgresIn(join(closed.path, 'copy')), { name: 'FolderInUse' })
          assert.equal(await first.ask('select 1'), 1)
        }
        await using second = await startPostgresIn(data)
        assert.equal(await second.ask('select text from notes'), 'kept')
        assert.equal(second.postgres.cluster, join(await place.path(), 'postgres'))
      }
      await assert.rejects(startPostgresIn(data), /is gone\. Restore it from a backup.*postgres-location/s)
    },
  )

  verifies('db:runs-as-root', 'a data folder that is moved below such a folder keeps its rows', async () => {
    await using closed = await temporaryFolder(0o700)
    const moved = join(closed.path, 'data')
    execFileSync('cp', ['-a', (await sharedNotes()).data, moved])
    await using _place = removedAtTheEnd(moved)

    assert.equal(await textIn(moved), 'kept')
  })

  verifies(
    'db:runs-as-root',
    'root can use the data folder of an ordinary user, who can continue to use it afterwards',
    async () => {
      await using folder = await temporaryFolder()
      const ordinary = { uid: 64_321, gid: 64_321 }
      const data = join(folder.path, 'data')
      execFileSync('cp', ['-a', (await sharedNotes()).data, data])
      await rm(join(data, 'lock'))
      await rm(join(data, 'postgres.log'))
      execFileSync('chown', ['-R', `${ordinary.uid}:${ordinary.gid}`, data])
      await using second = await startPostgresIn(data)

      assert.equal(await second.ask('select text from notes'), 'kept')
      assert.equal(userOf(postmasterOf(second.postgres.cluster)), String(ordinary.uid))
      for (const name of ['lock', 'postgres.log', 'socket']) {
        assert.equal((await stat(join(data, name))).uid, ordinary.uid, name)
      }
    },
  )

  verifies(
    'db:runs-as-root',
    'a copy that root made without preserving the owner starts with its rows',
    async () => {
      await using folder = await temporaryFolder()
      execFileSync('cp', ['-r', (await sharedNotes()).data, join(folder.path, 'copy')])

      assert.equal(await textIn(join(folder.path, 'copy')), 'kept')
    },
  )

  verifies('db:start-explained', 'a data folder on a full disk is refused as that', async () => {
    await using folder = await temporaryFolder()
    // In a container, root may not mount anything.
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder.path]).status !== 0) return
    await using _mounted = {
      [Symbol.asyncDispose]: async () => void execFileSync('umount', ['-l', folder.path]),
    }
    await (await openDataFolder(folder.path))[Symbol.asyncDispose]()
    await writeFile(join(folder.path, 'ballast'), Buffer.alloc(64 * 1024)).catch(() => undefined)

    await assert.rejects(
      openDataFolder(folder.path),
      /The disk that holds the data folder .* is full\. Free some space/,
    )
  })

  // In a checkout that only root may enter, another user could not even start our code.
  if (mayRead(nobody(), import.meta.filename)) {
    verifies(
      'db:start-explained',
      'files that root left in the data folder of an ordinary user are reported as another user’s',
      async () => {
        await using folder = await temporaryFolder()
        await (await openDataFolder(folder.path))[Symbol.asyncDispose]()
        await chown(folder.path, nobody().uid, nobody().gid)
        const open = `(await import(${JSON.stringify(dataFolderModule)})).openDataFolder(${JSON.stringify(folder.path)})`
        const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', `await ${open}`], {
          ...nobody(),
          encoding: 'utf8',
          env: {},
        })

        assert.match(stderr, /belongs to another user\. Start Bellhop as that user/)
      },
    )

    verifies(
      'db:embedded-default',
      'an ordinary user runs PostgreSQL as that user, in a folder closed to others',
      async () => {
        await using folder = await temporaryFolder(0o700)
        const { uid, gid } = nobody()
        await chown(folder.path, uid, gid)
        const writer = spawn(
          process.execPath,
          [join(import.meta.dirname, '../chaos/write-rows.ts'), join(folder.path, 'data')],
          {
            uid,
            gid,
            stdio: ['ignore', 'pipe', 'inherit'],
          },
        )
        const ended = once(writer, 'exit')
        for await (const line of createInterface({ input: writer.stdout })) {
          if (line === 'committed 10') writer.kill('SIGTERM')
        }

        assert.deepEqual(await ended, [0, null])
        assert.equal((await stat(join(folder.path, 'data'))).mode & 0o777, 0o700)
        await using running = await startPostgresIn(join(folder.path, 'data'))
        assert.ok(Number(await running.ask('select count(*) from rows')) >= 10)
      },
    )
  }
}

/** The place outside the data folder, which the data folder's own removal would leave behind. */
function removedAtTheEnd(data: string): AsyncDisposable & { path(): Promise<string> } {
  const path = async () => (await readFile(join(data, 'postgres-location'), 'utf8')).trim()
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(await path(), { recursive: true })
    },
  }
}

function userOf(pid: number): string {
  return execFileSync('ps', ['-o', 'user=', '-p', String(pid)], { encoding: 'utf8' }).trim()
}

function nobody(): { uid: number; gid: number } {
  const idOf = (option: '-u' | '-g') => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

function mayRead(user: { uid: number; gid: number }, file: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'test -r "$0"', file], { ...user, cwd: '/' }).status === 0
}
