import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** What a running PostgreSQL writes about itself in its cluster. Left behind if it is killed. */
type PostmasterFile = { readonly pid: number; readonly socketFolder: string; readonly ready: boolean }

export function postmasterFilePath(cluster: string): string {
  return join(cluster, 'postmaster.pid')
}

/** PostgreSQL defines the lines: 1 is the process, 5 the socket's folder, 8 the state. They are written one by one. */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  const content = await readFile(postmasterFilePath(cluster), 'utf8').catch(() => undefined)
  if (content === undefined) return undefined
  const lines = content.split('\n')
  return {
    pid: Number.parseInt(lines[0] ?? '', 10),
    socketFolder: lines[4] ?? '',
    ready: lines[7]?.trim() === 'ready',
  }
}
