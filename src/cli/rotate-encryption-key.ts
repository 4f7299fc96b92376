import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { readConfig } from '../config.ts'
import { openStore } from '../open-store.ts'
import { keysChanged, keysInUse, newKey, readKeys, saveKeys } from '../platform/crypto/load-keys.ts'
import { reseal } from '../platform/crypto/reseal.ts'
import { createVault } from '../platform/crypto/vault.ts'
import type { Database, Db } from '../platform/db/database.ts'
import { openNotifications } from '../platform/db/notifications.ts'
import { createLog } from '../platform/log.ts'
import { sealedColumns } from '../sealed-columns.ts'
import type { Command } from './run-command.ts'

const patienceMs = 30_000
const lookEveryMs = 250

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
    const vault = createVault(keys)
    // Until it knows the new key, the service could not open what is sealed with it, and seals with one that is about to go.
    if (store.isShared && !(await isInUse(store.database, vault.keyId))) return giveUp('does not answer')
    const first = await reseal(db, vault, sealedColumns)
    // What was sealed with the former key a moment before, and is still on its way, is found by the second pass.
    if (!(await writersEnded(db))) return giveUp('is in the middle of a change')
    const count = first + (await reseal(db, vault, sealedColumns))
    await saveKeys(config.dataDir, keys.slice(0, 1))
    await announce(db)
    process.stdout.write(
      `Secrets sealed with the new key ${vault.keyId}: ${count}. The former key is forgotten.\n`,
    )
    return 0
  },
}

function giveUp(because: string): number {
  process.stdout.write(
    `The service that runs on this data folder ${because}, so the former key stays beside the new one and nothing is lost. ` +
      'Restart the service, then run this again.\n',
  )
  return 1
}

/** Tells the running service until it says that it seals with this key. */
async function isInUse({ db, connection }: Database, keyId: string): Promise<boolean> {
  let inUse = false
  await using notifications = await openNotifications({ connection, onError: () => undefined })
  await notifications.listen(keysInUse, (id) => {
    inUse ||= id === keyId
  })
  return await comesTrue(async () => {
    if (!inUse) await announce(db)
    return inUse
  })
}

/** Whether every transaction that writes, and began before now, has ended. */
async function writersEnded(db: Db): Promise<boolean> {
  const { rows } = await sql<{ next: string }>`
    select pg_snapshot_xmax(pg_current_snapshot())::text as next`.execute(db)
  const next = rows[0]?.next ?? '0'
  // Also for those who have sealed and only wait for a connection.
  await pause(lookEveryMs * 4)
  return await comesTrue(async () => {
    const { rows: ended } = await sql`
      select where pg_snapshot_xmin(pg_current_snapshot()) >= ${next}::xid8`.execute(db)
    return ended.length > 0
  })
}

async function comesTrue(holds: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + patienceMs
  while (!(await holds())) {
    if (performance.now() > deadline) return false
    await pause(lookEveryMs)
  }
  return true
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
