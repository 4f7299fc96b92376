import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../has-code.ts'

const name = 'made-by-backup'

/** Tells the first start on the copy that the original went on without it. */
export async function markBackup(folder: string, madeAt: Date): Promise<void> {
  await writeFile(join(folder, name), `${madeAt.toISOString()}\n`)
}

/** When the copy was made; null unless the folder is a backup on which nothing has started yet. */
export async function readBackupMark(folder: string): Promise<string | null> {
  try {
    return (await readFile(join(folder, name), 'utf8')).trim()
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null
    throw error
  }
}

export async function removeBackupMark(folder: string): Promise<void> {
  await rm(join(folder, name), { force: true })
}
