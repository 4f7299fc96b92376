import { openStore } from '../app/open-store.ts'
import { readConfig } from '../config.ts'
import { createLog } from '../platform/log.ts'

export async function migrateOnly(): Promise<number> {
  const config = readConfig()
  const log = await createLog({ level: config.logLevel, pretty: process.stdout.isTTY })
  await using _store = await openStore(config, log)
  process.stdout.write('The database is up to date.\n')
  return 0
}
