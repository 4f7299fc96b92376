import { chmod, chown, mkdir, mkdtemp, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Account } from './account.ts'

const socketName = '.s.PGSQL.5432'
/** The kernel allows 107 bytes for a socket's path, and PostgreSQL appends the socket's name. */
const maxBytes = 107 - Buffer.byteLength(`/${socketName}`)
const temporaryPrefix = 'bellhop-socket-'

type SocketFolder = AsyncDisposable & { readonly path: string }

/** Beside the cluster; if that path is too long, in a short private folder among the temporary files. */
export async function makeSocketFolder(home: string, account: Account): Promise<SocketFolder> {
  const wanted = join(home, 'socket')
  const fits = Buffer.byteLength(wanted) <= maxBytes
  const path = fits ? wanted : await makeTemporary()
  if (fits) await mkdir(path, { recursive: true })
  await chmod(path, 0o700)
  if (account.switchTo.uid !== undefined) await chown(path, account.uid, account.gid)
  return {
    path,
    async [Symbol.asyncDispose]() {
      await removeTemporarySocketFolder(path)
    },
  }
}

async function makeTemporary(): Promise<string> {
  const base = Buffer.byteLength(join(tmpdir(), `${temporaryPrefix}123456`)) <= maxBytes ? tmpdir() : '/tmp'
  return mkdtemp(join(base, temporaryPrefix))
}

/** Does not touch a folder beside a cluster. */
export async function removeTemporarySocketFolder(path: string): Promise<void> {
  if (!basename(path).startsWith(temporaryPrefix)) return
  await removeSocket(path)
  await rmdir(path).catch(() => {})
}

/** By name: as root we must not follow links that the account owning the folder may have placed there. */
export async function removeSocket(folder: string): Promise<void> {
  for (const name of [socketName, `${socketName}.lock`]) await rm(join(folder, name), { force: true })
}
