import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import pg from 'pg'
import { readConfig } from '../config.ts'
import { readKeys, saveKeys } from '../platform/crypto/load-keys.ts'
import { copyCluster } from '../platform/db/embedded/copy-cluster.ts'
import { openEmbeddedPostgres } from '../platform/db/embedded/open-embedded-postgres.ts'
import { clusterIn, refuseMissingCluster } from '../platform/db/embedded/place-cluster.ts'
import { markBackup } from '../platform/files/backup-mark.ts'
import { freeBytes } from '../platform/files/free-bytes.ts'
import { makeFolderLike } from '../platform/files/make-folder-like.ts'
import { hasCode } from '../platform/has-code.ts'
import { createLog } from '../platform/log.ts'
import type { Options } from './command.ts'

export async function backUp({ to }: Options): Promise<number> {
  if (!to) throw new Error('Name the target folder: backup --to /var/backups/bellhop')
  const { databaseUrl, dataDir, encryptionKeys } = readConfig()
  if (databaseUrl) {
    throw new Error(
      'The database is an external one (DATABASE_URL). Use pg_dump or the backups of whoever runs it, and keep ENCRYPTION_KEY too.',
    )
  }
  await refuseMissingCluster(dataDir)
  const target = resolve(to)
  await refuseFull(target)
  await mkdir(dirname(target), { recursive: true }).catch((error: unknown) => {
    throw explained(target, error)
  })
  const log = await createLog({ level: 'warn', pretty: process.stdout.isTTY })
  await using postgres = await openEmbeddedPostgres(dataDir, log, true)
  await refuseWithoutRoom(postgres.connection, target)

  // Under its own name only when it is whole.
  const unfinished = `${target}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  try {
    await makeFolderLike(dataDir, unfinished)
    await markBackup(unfinished, new Date())
    await copyCluster(postgres, clusterIn(unfinished))
    if (encryptionKeys.length === 0) await saveKeys(unfinished, await readKeys(dataDir))
    await rename(unfinished, target)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw explained(target, error)
  }
  process.stdout.write(
    `${target} holds a copy of the database${encryptionKeys.length === 0 ? ' and of its key' : '; its key is in ENCRYPTION_KEY'}. ` +
      'To restore, stop Bellhop, and start it with DATA_DIR naming that folder. The agent is paused then until an admin resumes it.\n',
  )
  return 0
}

async function refuseFull(target: string): Promise<void> {
  const content = await readdir(target).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return []
    throw explained(target, error)
  })
  if (content.length > 0) throw new Error(`${target} is not empty. Name a folder that does not exist yet.`)
}

/** A backup that fails half-way for lack of space helps nobody. */
async function refuseWithoutRoom(connection: pg.ClientConfig, target: string): Promise<void> {
  const client = new pg.Client(connection)
  await client.connect()
  const { rows } = await client
    .query<{ size: string }>('select sum(pg_database_size(oid))::text as size from pg_database')
    .finally(() => client.end())
  const needed = Number(rows[0]?.size ?? 0) + logBytes
  const free = await freeBytes(dirname(target))
  if (free >= needed) return
  throw new Error(
    `The backup needs about ${mb(needed)} MB, and ${dirname(target)} has ${mb(free)} MB free. Free some space, or choose another folder.`,
  )
}

/** The write-ahead log that comes with a copy: a few files of 16 MB. */
const logBytes = 64 * 1024 * 1024

function mb(bytes: number): string {
  return (bytes / 1024 ** 2).toFixed(0)
}

function explained(target: string, error: unknown): unknown {
  if (hasCode(error, 'ENOSPC'))
    return new Error(
      `The disk that holds ${target} is full. The unfinished copy was removed; free some space and try again.`,
    )
  if (hasCode(error, 'EACCES') || hasCode(error, 'EPERM') || hasCode(error, 'EROFS'))
    return new Error(
      `Bellhop may not write to ${target}. Choose another folder, or run this as the user who owns it.`,
    )
  if (hasCode(error, 'ENOTDIR'))
    return new Error(`${target} is not a folder. Name a folder that does not exist yet.`)
  return error
}
