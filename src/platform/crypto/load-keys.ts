import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type DataFolder, writeDurably } from '../files/data-folder.ts'
import { Secret } from '../secret.ts'

const fileName = 'encryption-key'
/** The notification after the key file was changed; processes with keys in memory then read it again. */
export const keysChanged = 'vault_keys_changed'
/** The answer to it: the replica, and the id of the key that it seals with from now on. */
export const keysInUse = 'vault_keys_in_use'

/** The keys in the data folder: one per line, the first one seals. Created at the first start. */
export async function loadKeys(folder: DataFolder): Promise<Secret[]> {
  return parseKeys(await folder.readOrCreate(fileName, () => `${newKey().reveal()}\n`), folder.path)
}

/** The same for commands that run beside the service that owns the folder. */
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
