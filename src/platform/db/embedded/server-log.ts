import { open, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { chownLikeFolder } from '../../files/chown-like-folder.ts'

const maxBytes = 1024 * 1024
const quotedLines = 12

export type ServerLog = AsyncDisposable & {
  readonly path: string
  readonly fd: number
  /** The current end of the file: where to quote from later. */
  end(): Promise<number>
  lastLines(since: number): Promise<string>
}

/** PostgreSQL's log, in the data folder. At a start, a long file is replaced by a new one; one old file is kept. */
export async function openServerLog(folder: string): Promise<ServerLog> {
  const path = join(folder, 'postgres.log')
  const size = (await stat(path).catch(() => undefined))?.size ?? 0
  if (size > maxBytes) await rename(path, `${path}.old`)
  const handle = await open(path, 'a+', 0o600)
  await chownLikeFolder(handle, folder)
  return {
    path,
    fd: handle.fd,
    end: async () => (await handle.stat()).size,
    async lastLines(since) {
      const length = (await handle.stat()).size - since
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.max(length, 0)), 0, length, since)
      return buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n').slice(-quotedLines).join('\n')
    },
    [Symbol.asyncDispose]: () => handle.close(),
  }
}
