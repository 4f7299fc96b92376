import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type DataFolder, writeDurably } from '../../files/data-folder.ts'
import { lockFolder } from '../../files/folder-lock.ts'
import { hasCode } from '../../has-code.ts'
import { type Account, canEnter, chooseAccount } from './account.ts'
import { sharedFolder } from './shared-folder.ts'

const run = promisify(execFile)

/** The folder of the cluster and its socket, and the account that uses it. Locked until disposed. */
export type Place = AsyncDisposable & { readonly home: string; readonly account: Account }

/** Written into the data folder if the cluster had to be placed elsewhere. */
const pointerName = 'postgres-location'

/**
 * In the data folder, if the account that runs PostgreSQL can enter it. Otherwise (only as root) in a shared place, and the data
 * folder gets a file that says where. A data folder without that file gets its own cluster.
 */
export async function placeCluster(folder: DataFolder): Promise<Place> {
  const elsewhere = await readPointer(folder.path)
  if (elsewhere) return placeElsewhere(folder, elsewhere)

  const account = await chooseAccount(clusterIn(folder.path))
  if (await canEnter(account, folder.path)) {
    return { home: folder.path, account, [Symbol.asyncDispose]: async () => {} }
  }
  const home = join(await sharedFolder(), randomBytes(8).toString('hex'))
  await mkdir(home)
  await chmod(home, 0o711)
  await writeDurably(join(home, 'data-folder'), `${folder.path}\n`)
  // Before the cluster is created or moved: a crash in between must not leave a cluster that nothing points to.
  await writeDurably(join(folder.path, pointerName), `${home}\n`)
  return placeElsewhere(folder, home)
}

/**
 * Empty if the cluster is in the data folder itself. An unreadable pointer must not count as none: an empty database would look
 * like lost data.
 */
async function readPointer(dataDir: string): Promise<string> {
  const pointer = join(dataDir, pointerName)
  try {
    return (await readFile(pointer, 'utf8')).trim()
  } catch (cause) {
    if (hasCode(cause, 'ENOENT')) return ''
    throw new Error(`The file ${pointer}, which says where the database is kept, cannot be read.`, { cause })
  }
}

/** For commands that run beside the service that owns the data folder. */
export async function findCluster(dataDir: string): Promise<string> {
  return clusterIn((await readPointer(dataDir)) || dataDir)
}

export async function hasCluster(dataDir: string): Promise<boolean> {
  try {
    await stat(join(await findCluster(dataDir), 'PG_VERSION'))
    return true
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}

/** For commands: opening a folder without a database would create one, and they would work on that instead of the one that is meant. */
export async function refuseMissingCluster(dataDir: string): Promise<void> {
  if (await hasCluster(dataDir)) return
  throw new Error(
    `There is no database in ${dataDir}. Name the data folder with DATA_DIR, or start Bellhop, which creates one.`,
  )
}

export function clusterIn(home: string): string {
  return join(home, 'postgres')
}

async function placeElsewhere(folder: DataFolder, home: string): Promise<Place> {
  if (!(await exists(home))) {
    throw new Error(
      `The database of ${folder.path} was kept in ${home}, and that folder is gone. Restore it from a backup; ` +
        `to begin with an empty database instead, delete ${join(folder.path, pointerName)}.`,
    )
  }
  // A copy of the data folder points to the same place, so the data folder's lock is not enough.
  await using opened = new AsyncDisposableStack()
  opened.use(await lockFolder(home))
  await finishMove(clusterIn(folder.path), clusterIn(home))
  const account = await chooseAccount(clusterIn(home))
  const held = opened.move()
  return { home, account, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

/** The data folder was moved below a folder that the account cannot enter: its cluster is moved to the new place. */
async function finishMove(from: string, to: string): Promise<void> {
  if ((await exists(to)) || !(await exists(from))) return
  try {
    await rename(from, to)
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error
    const unfinished = `${to}.new`
    await rm(unfinished, { recursive: true, force: true })
    await run('cp', ['-a', from, unfinished])
    await run('sync')
    await rename(unfinished, to)
    await rm(from, { recursive: true })
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
