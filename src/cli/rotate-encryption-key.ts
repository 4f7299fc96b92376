import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { readConfig } from '../config.ts'
import { openStore } from '../open-store.ts'
import { keysChanged, newKey, readKeys, saveKeys } from '../platform/crypto/load-keys.ts'
import { reseal } from '../platform/crypto/reseal.ts'
import { createVault } from '../platform/crypto/vault.ts'
import type { Db } from '../platform/db/database.ts'
import { createLog } from '../platform/log.ts'
import { sealedColumns } from '../sealed-columns.ts'
import type { Command } from './run-command.ts'

const settleMs = 1_500

export const rotateEncryptionKey: Command = {
  says: 'seal every secret with a new key, while the service runs or not',
  async run() {
    const config = readConfig()
    const log = await createLog({ level: 'warn', pretty: process.stdout.isTTY })
    await using store = await openStore(config, log, { beside: true })
    const { db } = store.database
    if (config.encryptionKeys.length > 0)
      return await withKeysOfEnvironment(config.encryptionKeys.length, () =>
        reseal(db, store.vault, sealedColumns),
      )

    const former = await readKeys(config.dataDir)
    const keys = [newKey(), ...former]
    await saveKeys(config.dataDir, keys)
    await announce(db)
    // The running service needs a moment to hear it; what it seals with the former key until then is found by the second pass.
    await pause(settleMs)
    const vault = createVault(keys)
    const count = (await reseal(db, vault, sealedColumns)) + (await reseal(db, vault, sealedColumns))
    await saveKeys(config.dataDir, keys.slice(0, 1))
    await announce(db)
    process.stdout.write(
      `Secrets sealed with the new key ${vault.keyId}: ${count}. The former key is forgotten.\n`,
    )
    return 0
  },
}

async function withKeysOfEnvironment(given: number, resealAll: () => Promise<number>): Promise<number> {
  const count = await resealAll()
  process.stdout.write(
    given > 1
      ? `${count} secrets are sealed with the first key of ENCRYPTION_KEY. Take the others out and restart all replicas.\n`
      : 'ENCRYPTION_KEY holds one key, so there is nothing to rotate to. Put a new key in front (ENCRYPTION_KEY=<new>,<former>), restart all replicas, and run this again.\n',
  )
  return given > 1 ? 0 : 1
}

async function announce(db: Db): Promise<void> {
  await sql`select pg_notify(${keysChanged}, '')`.execute(db)
}
