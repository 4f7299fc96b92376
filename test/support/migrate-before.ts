import { copyFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { migrationsFolder } from '../../src/app/open-store.ts'
import type { Db } from '../../src/platform/db/database.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Brings an empty database to where it was before the migration with this number. */
export async function migrateBefore(db: Db, number: string): Promise<void> {
  await using former = await temporaryFolder()
  for (const file of await readdir(migrationsFolder)) {
    if (file < number) await copyFile(join(migrationsFolder, file), join(former.path, file))
  }
  await migrate(db, former.path)
}
