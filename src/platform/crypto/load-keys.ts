import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type DataFolder, writeDurably } from '../data-folder.ts'
import { Secret } from '../secret.ts'

const fileName = 'encryption-key'

/** Keys of the data folder: one per line, the first seals. Made at the first start. */
export async function loadKeys(folder: DataFolder): Promise<Secret[]> {
  const text = await folder.readOrCreate(fileName, () => `${newKey().reveal()}\n`)
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => new Secret(line))
}

export async function saveKeys(folder: string, keys: readonly Secret[]): Promise<void> {
  await writeDurably(join(folder, fileName), keys.map((key) => `${key.reveal()}\n`).join(''))
}

export function newKey(): Secret {
  return new Secret(randomBytes(32).toString('base64'))
}
