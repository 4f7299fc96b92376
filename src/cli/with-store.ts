import { publicUrlOf, readConfig } from '../config.ts'
import { openStore, type Store } from '../open-store.ts'
import type { Db } from '../platform/db/database.ts'
import { createLog } from '../platform/log.ts'

type CommandContext = { db: Db; publicUrl: string; vault: Store['vault'] }

/** For commands that read and write, whether the service runs or not. */
export async function withStore<T>(work: (ctx: CommandContext) => Promise<T>): Promise<T> {
  const config = readConfig()
  const log = await createLog({ level: 'warn', pretty: process.stdout.isTTY })
  await using store = await openStore(config, log, { beside: true })
  return await work({ db: store.database.db, vault: store.vault, publicUrl: publicUrlOf(config) })
}
