import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clusterDatabase, clusterUser } from './create-cluster.ts'
import { clusterIn, pointerName } from './place-cluster.ts'
import { readPostmasterFile } from './postmaster-file.ts'

/** For commands that run beside the service: the socket of the PostgreSQL that the service has started. */
export async function findRunningPostgres(dataDir: string) {
  const elsewhere = (await readFile(join(dataDir, pointerName), 'utf8').catch(() => '')).trim()
  const cluster = clusterIn(elsewhere || dataDir)
  const running = await readPostmasterFile(cluster)
  if (!running?.ready) return null
  const { socketFolder: host } = running
  return { cluster, connection: { host, port: 5432, user: clusterUser, database: clusterDatabase } }
}
