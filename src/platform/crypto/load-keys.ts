import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Secret } from '../secret.ts'

/** Keys of the data folder: one per line, the first seals. Made at the first start. */
export async function loadKeys(folder: string): Promise<Secret[]> {
  const file = keyFile(folder)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text !== null) return parseKeys(text)
  const made = newKey()
  // `wx`: two first starts at once must not each believe in a key of their own.
  await writeFile(file, `${made.reveal()}\n`, { mode: 0o600, flag: 'wx' })
  return [made]
}

export async function saveKeys(folder: string, keys: readonly Secret[]): Promise<void> {
  await writeFile(keyFile(folder), keys.map((key) => `${key.reveal()}\n`).join(''), {
    mode: 0o600,
    flush: true,
  })
}

export function newKey(): Secret {
  return new Secret(randomBytes(32).toString('base64'))
}

function keyFile(folder: string): string {
  return join(folder, 'encryption-key')
}

function parseKeys(text: string): Secret[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => new Secret(line))
}
