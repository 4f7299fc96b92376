import { chown, copyFile, open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { makeFolderLike } from '../../files/make-folder-like.ts'
import { hasCode } from '../../has-code.ts'

type Source = { connection: pg.ClientConfig; cluster: string }

/** Folders whose content belongs to the running server: a copy starts with empty ones. */
const emptied = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
])
const omitted = /^(postmaster\.(pid|opts)|pgsql_tmp.*|pg_internal\.init.*)$/
const control = join('global', 'pg_control')

/**
 * Copies a cluster while its server works, by PostgreSQL's low-level backup API: files are copied in any order and state, and the
 * write-ahead log from before the first to after the last of them makes them consistent when a server starts on the copy. If we
 * die on the way, PostgreSQL ends the backup with our session.
 */
export async function copyCluster({ connection, cluster }: Source, target: string): Promise<void> {
  const client = new pg.Client(connection)
  // A lost connection also fails the next query, which says so.
  client.on('error', () => undefined)
  await client.connect()
  try {
    // Keeps the server from recycling the log that the copy needs.
    await client.query(
      `select pg_create_physical_replication_slot('bellhop_backup_' || pg_backend_pid(), true, true)`,
    )
    const { rows: starts } = await client.query<{ segment: string }>(
      `select pg_walfile_name(pg_backup_start('bellhop', fast => true)) as segment`,
    )
    await copyFolder(cluster, target, '')
    await copyControl(cluster, target)
    const { rows: ends } = await client.query<{ segment: string; labelfile: string }>(
      'select pg_walfile_name(lsn) as segment, labelfile from pg_backup_stop(wait_for_archive => false)',
    )
    const [start, end] = [starts[0], ends[0]]
    if (!start || !end) throw new Error('PostgreSQL did not say where its backup begins and ends.')
    await writeLike(join(cluster, 'PG_VERSION'), join(target, 'backup_label'), end.labelfile)
    for (const name of await readdir(join(cluster, 'pg_wal'))) {
      if (name >= start.segment && name <= end.segment) await copyOne(cluster, target, join('pg_wal', name))
    }
    await syncFolder(join(target, 'pg_wal'))
    await syncFolder(target)
  } finally {
    await client.end()
  }
}

async function copyFolder(cluster: string, target: string, path: string): Promise<void> {
  await makeFolderLike(join(cluster, path), join(target, path))
  if (emptied.has(path)) return
  const entries = await readdir(join(cluster, path), { withFileTypes: true })
  for (const entry of entries) {
    const inside = join(path, entry.name)
    if (omitted.test(entry.name) || inside === control) continue
    if (entry.isDirectory()) await copyFolder(cluster, target, inside)
    else await copyOne(cluster, target, inside)
  }
  await syncFolder(join(target, path))
}

async function copyOne(cluster: string, target: string, path: string): Promise<void> {
  const [from, to] = [join(cluster, path), join(target, path)]
  try {
    await copyFile(from, to)
    await chownLike(from, to)
  } catch (error) {
    // The server deletes files as it works. The log that is replayed says so too.
    if (hasCode(error, 'ENOENT')) return
    throw error
  }
  await syncFile(to)
}

/** The one file that no log repairs. It is small; two equal readings were not torn by a write. */
async function copyControl(cluster: string, target: string): Promise<void> {
  const from = join(cluster, control)
  let content = await readFile(from)
  for (let again = await readFile(from); !again.equals(content); again = await readFile(from)) content = again
  await writeLike(from, join(target, control), content)
  await syncFolder(dirname(join(target, control)))
}

async function writeLike(model: string, file: string, content: string | Buffer): Promise<void> {
  await writeFile(file, content, { mode: 0o600 })
  await chownLike(model, file)
  await syncFile(file)
}

/** Root copies for whoever owns the original. */
async function chownLike(model: string, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(model)
  await chown(path, uid, gid)
}

async function syncFile(file: string): Promise<void> {
  await using handle = await open(file, 'r+')
  await handle.sync()
}

async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r')
  await handle.sync()
}
