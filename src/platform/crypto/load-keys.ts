import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DataFolder, writeDurably } from '../data-folder.ts'
import { Secret } from '../secret.ts'

const fileName = 'encryption-key'
/** Said on the database after the file was changed; whoever keeps keys in memory reads it again. */
export const keysChanged = 'vault_keys_changed'
/** The answer to it: who speaks, and the id of the key that seals from now on. */
export const keysInUse = 'vault_keys_in_use'

/** Keys of the data folder: one per line, the first seals. Made at the first start. */
export async function loadKeys(folder: DataFolder): Promise<Secret[]> {
  return parseKeys(await folder.readOrCreate(fileName, () => `${newKey().reveal()}\n`), folder.path)
}

/** The same for those who only look in, beside the service that owns the folder. */
export async function readKeys(dataDir: string): Promise<Secret[]> {
  return parseKeys(await readFile(join(dataDir, fileName), 'utf8'), dataDir)
}

export async function saveKeys(dataDir: string, keys: readonly Secret[]): Promise<void> {
  await writeDurably(join(dataDir, fileName), keys.map((key) => `${key.reveal()}\n`).join(''))
}

export function newKey(): Secret {
  return new Secret(randomBytes(32).toString('base64'))
}

function parseKeys(text: string, dataDir: string): Secret[] {
  const keys = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  if (keys.length === 0 || keys.some((key) => Buffer.from(key, 'base64').length !== 32)) {
    throw new Error(
      `The file ${join(dataDir, fileName)} is damaged: it must hold one key per line, 32 bytes in base64. ` +
        'Put it back from a backup; without it the secrets in the database cannot be opened.',
    )
  }
  return keys.map((key) => new Secret(key))
}
