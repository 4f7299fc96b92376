import { clusterDatabase, clusterUser } from './create-cluster.ts'
import { findCluster } from './place-cluster.ts'
import { readPostmasterFile } from './postmaster-file.ts'

/** For commands that run beside the service: the socket of the service's PostgreSQL. */
export async function findRunningPostgres(dataDir: string) {
  const cluster = await findCluster(dataDir)
  const running = await readPostmasterFile(cluster)
  if (!running?.ready) return null
  const { socketFolder: host } = running
  return { cluster, connection: { host, port: 5432, user: clusterUser, database: clusterDatabase } }
}
