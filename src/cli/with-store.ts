import { openStore, type Store } from '../app/open-store.ts'
import { publicUrlOf, readConfig } from '../config.ts'
import type { Db } from '../platform/db/database.ts'
import { hasCluster } from '../platform/db/embedded/place-cluster.ts'
import { createLog } from '../platform/log.ts'

type CommandContext = { db: Db; publicUrl: string; vault: Store['vault'] }

type Options = {
  /** What it stores makes sense before the first start, so it may create the database, and says so. */
  mayCreate?: boolean
}

/** For commands that read and write, whether the service runs or not. */
export async function withStore<T>(
  work: (ctx: CommandContext) => Promise<T>,
  { mayCreate = false }: Options = {},
): Promise<T> {
  const config = readConfig()
  const log = await createLog({ level: 'warn', pretty: process.stdout.isTTY })
  const creates = mayCreate && !config.databaseUrl && !(await hasCluster(config.dataDir))
  if (creates) process.stderr.write(`There was no database in ${config.dataDir}, so it is created now.\n`)
  await using store = await openStore(config, log, { beside: !creates })
  return await work({ db: store.database.db, vault: store.vault, publicUrl: publicUrlOf(config) })
}
