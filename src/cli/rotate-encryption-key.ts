import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { recordAudit } from '../accounts/audit-log/record-audit.ts'
import { openStore, type Store } from '../app/open-store.ts'
import { sealedColumns } from '../app/sealed-columns.ts'
import { readConfig } from '../config.ts'
import { incrementRevision } from '../connectors/manage/store.ts'
import { keysChanged, keysInUse, newKey, readKeys, saveKeys } from '../platform/crypto/load-keys.ts'
import { type Resealed, reseal } from '../platform/crypto/reseal.ts'
import { createVault, type Vault } from '../platform/crypto/vault.ts'
import type { Database, Db } from '../platform/db/database.ts'
import { openNotifications } from '../platform/db/notifications.ts'
import { notifyInTransaction } from '../platform/db/notify.ts'
import { createLog } from '../platform/log.ts'
import { listReplicas } from '../status/replicas.ts'
import { commandLine } from './command.ts'

/** Longer than a killed process is still listed as a replica. */
const maxWaitMs = 35_000
const pollMs = 250

export async function rotateEncryptionKey(): Promise<number> {
  const config = readConfig()
  const log = await createLog({ level: 'warn', pretty: process.stdout.isTTY })
  await using store = await openStore(config, log, { beside: true })
  const { db } = store.database
  if (config.encryptionKeys.length > 0)
    return await withKeysOfEnvironment(store, config.encryptionKeys.length)

  const former = await readKeys(config.dataDir)
  const keys = [newKey(), ...former]
  await saveKeys(config.dataDir, keys)
  const vault = createVault(keys)
  // Until the service knows the new key, it could not open what is sealed with it, and still seals with the old one.
  if (store.isShared && (await replicasWithout(store.database, vault.keyId, 1)).length > 0)
    return giveUp('does not answer')
  const first = await reseal(db, vault, sealedColumns)
  // The second pass finds what transactions still under way have sealed with the former key.
  if (!(await writersEnded(db))) return giveUp('is in the middle of a change')
  const second = await reseal(db, vault, sealedColumns)
  // Whoever keeps tools in memory reads them again, before what they were sealed with is forgotten.
  await incrementRevision(db)
  const count = first.count + second.count
  await saveKeys(config.dataDir, keys.slice(0, 1))
  await notifyInTransaction(db, keysChanged, '')
  await recordRotation(db, vault, count)
  process.stdout.write(
    `Secrets sealed with the new key ${vault.keyId}: ${count}. The former key is forgotten.\n`,
  )
  tellUnreadable(second)
  return 0
}

function giveUp(because: string): number {
  process.stderr.write(
    `The service that runs on this data folder ${because}, so the former key stays beside the new one and nothing is lost. ` +
      'Restart the service, then run this again.\n',
  )
  return 1
}

/** The running replicas that do not report that they seal with this key. At least `expected` are known to run. */
async function replicasWithout(
  { db, connection }: Database,
  keyId: string,
  expected: number,
): Promise<string[]> {
  const keys = new Map<string, string>()
  await using notifications = await openNotifications({ connection, onError: () => undefined })
  await notifications.listen(keysInUse, (payload) => {
    const [replica = '', key = ''] = payload?.split(' ') ?? []
    keys.set(replica, key)
  })
  const allSpoke = await pollUntil(async () => {
    const replicas = await listReplicas(db)
    if (keys.size >= expected && replicas.every(({ id }) => keys.has(id))) return true
    await notifyInTransaction(db, keysChanged, '')
    return false
  })
  const without = (await listReplicas(db))
    .filter(({ id }) => keys.get(id) !== keyId)
    .map(({ role, startedAt }) => `role ${role}, started ${startedAt.toISOString()}`)
  return allSpoke || without.length > 0 ? without : ['one that starts']
}

/** Whether every writing transaction that began before now has ended. */
async function writersEnded(db: Db): Promise<boolean> {
  const { rows } = await sql<{ next: string }>`
    select pg_snapshot_xmax(pg_current_snapshot())::text as next`.execute(db)
  const next = rows[0]?.next ?? '0'
  // Also waits for those that have sealed a value and are still waiting for a connection.
  await pause(pollMs * 4)
  return await pollUntil(async () => {
    const { rows: ended } = await sql`
      select where pg_snapshot_xmin(pg_current_snapshot()) >= ${next}::xid8`.execute(db)
    return ended.length > 0
  })
}

async function pollUntil(holds: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + maxWaitMs
  while (!(await holds())) {
    if (performance.now() > deadline) return false
    await pause(pollMs)
  }
  return true
}

async function withKeysOfEnvironment({ database, vault }: Store, given: number): Promise<number> {
  if (given === 1) {
    process.stderr.write(
      'ENCRYPTION_KEY holds one key, so there is nothing to rotate to. Put a new key in front (ENCRYPTION_KEY=<new>,<former>), restart all replicas, and run this again.\n',
    )
    return 1
  }
  const without = await replicasWithout(database, vault.keyId, 0)
  if (without.length > 0) {
    process.stderr.write(
      'Nothing was changed: these replicas do not seal with the first key of ENCRYPTION_KEY, or do not answer, and could not open what is sealed with it. ' +
        `Restart them with this ENCRYPTION_KEY, and run this again.\n  ${without.join('\n  ')}\n`,
    )
    return 1
  }
  const resealed = await reseal(database.db, vault, sealedColumns)
  const { count } = resealed
  await recordRotation(database.db, vault, count)
  process.stdout.write(
    `${count} secrets are sealed with the first key of ENCRYPTION_KEY. Take the others out and restart all replicas.\n`,
  )
  tellUnreadable(resealed)
  return 0
}

/** No key of this rotation opens them, so it loses nothing. */
function tellUnreadable({ unreadable }: Resealed): void {
  if (unreadable.length === 0) return
  const [secrets, them] =
    unreadable.length === 1 ? ['One secret', 'it'] : [`${unreadable.length} secrets`, 'them']
  process.stderr.write(
    `${secrets} cannot be opened with any key that is known here, and stayed as before. Enter ${them} again where ` +
      `Bellhop asks for ${them}; if you find the key, put it behind the others and run this again.\n  ${unreadable.join('\n  ')}\n`,
  )
}

async function recordRotation(db: Db, { keyId }: Vault, secrets: number): Promise<void> {
  await recordAudit(db, { ...commandLine, action: 'encryption-key.rotated', detail: { keyId, secrets } })
}
