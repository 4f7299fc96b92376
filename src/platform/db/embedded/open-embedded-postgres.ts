import { type DataFolder, openDataFolder } from '../../files/data-folder.ts'
import { FolderInUse } from '../../files/folder-lock.ts'
import type { Log } from '../../log.ts'
import { findRunningPostgres } from './find-running-postgres.ts'
import { refuseMissingCluster } from './place-cluster.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './start-embedded-postgres.ts'

type Opened = EmbeddedPostgres & {
  /** Null where a running service holds the folder and the server is its own. */
  readonly folder: DataFolder | null
}

/**
 * Starts the database of a data folder. A command (`beside`) uses the server of a running service if there is one, and does not
 * create a database.
 */
export async function openEmbeddedPostgres(dataDir: string, log: Log, beside: boolean): Promise<Opened> {
  if (beside) await refuseMissingCluster(dataDir)
  await using stack = new AsyncDisposableStack()
  try {
    const folder = stack.use(await openDataFolder(dataDir))
    const { connection, cluster } = stack.use(await startEmbeddedPostgres({ folder, log }))
    const opened = stack.move()
    return { connection, cluster, folder, [Symbol.asyncDispose]: () => opened.disposeAsync() }
  } catch (error) {
    const running = beside && error instanceof FolderInUse ? await findRunningPostgres(dataDir) : null
    if (!running) throw error
    return { ...running, folder: null, [Symbol.asyncDispose]: async () => {} }
  }
}
