import { access, constants, open, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { asError } from '../as-error.ts'
import { hasCode } from '../has-code.ts'
import { chownLikeFolder } from './chown-like-folder.ts'

const sqliteBusy = 5
const sqliteFull = 13

/** Another process uses the folder. The message is for the person who started the second one. */
export class FolderInUse extends Error {
  constructor(folder: string, pid: string | undefined) {
    super(
      `The folder ${folder} is in use by another Bellhop${pid ? ` (process ${pid})` : ''}. ` +
        `Stop that one first${pid ? `, for example with: kill ${pid}` : ''}. ` +
        'To run two side by side, give this one a folder and a port of its own with DATA_DIR and PORT.',
    )
    this.name = 'FolderInUse'
  }
}

/**
 * Exclusive use of a folder, enforced by the kernel: it ends with the process however that dies, and cannot go stale. Node has no
 * call for file locks; SQLite takes one on an empty file and never writes to it. The file `pid` decides nothing; it only lets a
 * second process say who holds the lock.
 */
export async function lockFolder(folder: string): Promise<AsyncDisposable> {
  const lockFile = join(folder, 'lock')
  const pidFile = join(folder, 'pid')
  await createOnce(lockFile, folder)
  // SQLite does not tell why it cannot open a file.
  await access(lockFile, constants.R_OK | constants.W_OK)
  const lock = new DatabaseSync(lockFile, { timeout: 0 })
  try {
    lock.exec('pragma journal_mode = off; pragma locking_mode = exclusive; begin exclusive')
  } catch (error) {
    lock.close()
    if (failedWith(sqliteBusy, error)) throw new FolderInUse(folder, await readPid(pidFile))
    if (failedWith(sqliteFull, error)) throw Object.assign(asError(error), { code: 'ENOSPC' })
    throw new Error(`The lock file ${lockFile} cannot be used. Delete that file and start again.`, {
      cause: error,
    })
  }
  // Deleted first: an existing file may belong to another user and be read-only for us.
  await rm(pidFile, { force: true })
  await writeFile(pidFile, `${process.pid}\n`)
  return {
    async [Symbol.asyncDispose]() {
      await rm(pidFile, { force: true })
      lock.close()
    },
  }
}

/** Never opens an existing file: closing it again would drop a lock that this very process holds on it. */
async function createOnce(file: string, folder: string): Promise<void> {
  try {
    await using handle = await open(file, 'wx', 0o600)
    await chownLikeFolder(handle, folder)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

function failedWith(code: number, error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === code
}

async function readPid(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return /^\d+$/.test(text.trim()) ? text.trim() : undefined
}
