import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { Account } from './account.ts'
import type { Binaries } from './binaries.ts'

const run = promisify(execFile)

export const clusterUser = 'bellhop'
export const clusterDatabase = 'bellhop'

/** Creates the cluster if there is none. It appears complete or not at all, so after a crash it is simply created again. */
export async function createCluster(
  cluster: string,
  binaries: Binaries,
  account: Account,
): Promise<'created' | 'found'> {
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined)
  if (version !== undefined) {
    refuseOtherMajor(cluster, version.trim(), binaries.major)
    await takeOver(cluster, account)
    return 'found'
  }
  const left = await readdir(cluster).catch(() => [])
  if (left.length > 0)
    throw new Error(
      `The database in ${cluster} is damaged: its file PG_VERSION is missing. Restore a backup, or name another folder with DATA_DIR.`,
    )
  await removeUnfinished(cluster)
  const unfinished = await mkdtemp(`${cluster}.new-`)
  await chmod(unfinished, 0o700)
  if (account.switchTo.uid !== undefined) await chown(unfinished, account.uid, account.gid)
  await initialise(unfinished, binaries, account)
  await rename(unfinished, cluster)
  await using parent = await open(dirname(cluster), 'r')
  await parent.sync()
  return 'created'
}

function refuseOtherMajor(cluster: string, found: string, ours: number): void {
  if (found === String(ours)) return
  throw new Error(
    `The database in ${cluster} was created by PostgreSQL ${found}, and this version of Bellhop brings PostgreSQL ${ours}. ` +
      'Start the Bellhop version that created it, dump the database, and restore the dump into a new data folder (docs/operate.md).',
  )
}

/** A copy, often a backup, may be open to others, or belong to root: PostgreSQL refuses both. */
async function takeOver(cluster: string, { uid, gid, switchTo }: Account): Promise<void> {
  const found = await stat(cluster)
  if ((found.mode & 0o777) !== 0o700) await chmod(cluster, 0o700)
  if (switchTo.uid !== undefined && found.uid === 0) await run('chown', ['-Rh', `${uid}:${gid}`, cluster])
}

async function removeUnfinished(cluster: string): Promise<void> {
  const siblings = await readdir(dirname(cluster))
  for (const name of siblings.filter((sibling) => sibling.startsWith(`${basename(cluster)}.new-`))) {
    // The initdb of a killed process may still be writing there; then the next start removes it.
    await rm(join(dirname(cluster), name), { recursive: true, force: true }).catch(() => {})
  }
}

/** Sort order and case mapping come from PostgreSQL itself, so that no system upgrade breaks an index. */
async function initialise(cluster: string, binaries: Binaries, account: Account): Promise<void> {
  const as = { ...account.switchTo, cwd: '/', env: { TZ: 'UTC', LC_ALL: 'C', PATH: '/usr/bin:/bin' } }
  const options = [
    `--pgdata=${cluster}`,
    `--username=${clusterUser}`,
    '--auth-local=trust',
    '--auth-host=reject',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--data-checksums',
    '--no-instructions',
  ]
  try {
    await run(binaries.initdb, options, as)
  } catch (error) {
    const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : ''
    throw notCreated(cluster, output)
  }
  const single = spawn(binaries.postgres, ['--single', '-D', cluster, 'postgres'], as)
  single.stdin.end(`create database ${clusterDatabase};\n`)
  const [output, [code]] = await Promise.all([text(single.stderr), once(single, 'exit')])
  if (code !== 0) throw notCreated(cluster, output)
}

function notCreated(cluster: string, output: string): Error {
  const where = dirname(cluster)
  return new Error(
    output.includes('No space left on device')
      ? `The database could not be created: the disk that holds ${where} is full. Free some space and start again.`
      : `The database could not be created in ${where}. ${output}`.trim(),
  )
}
