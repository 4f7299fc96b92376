import { setTimeout as pause } from 'node:timers/promises'
import type { DataFolder } from '../../files/data-folder.ts'
import type { Log } from '../../log.ts'
import { findBinaries } from './binaries.ts'
import { clearLeftovers } from './clear-leftovers.ts'
import { clusterDatabase, clusterUser, createCluster } from './create-cluster.ts'
import { clusterIn, placeCluster } from './place-cluster.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import { runServer, type Server, type ServerPlan, ServerRefused } from './run-server.ts'
import { openServerLog } from './server-log.ts'
import { serverSettings } from './settings.ts'
import { makeSocketFolder, removeTemporarySocketFolder } from './socket-folder.ts'

export type EmbeddedPostgres = AsyncDisposable & {
  readonly connection: { host: string; port: number; user: string; database: string }
  /** PostgreSQL's data directory. */
  readonly cluster: string
}

type Options = {
  folder: DataFolder
  log: Log
  /** Instead of the durable defaults: for clusters that may be lost. */
  settings?: Record<string, string>
}

/** How long processes of a killed server may still hold the cluster before we give up. */
const maxBusyMs = 30_000
const longestPauseMs = 5_000
/** A server that dies this soon after a restart will probably die again, so we wait before the next. */
const shortLifeMs = 5_000

/** A real PostgreSQL in the data folder, restarted whenever it dies, until disposed. */
export async function startEmbeddedPostgres({
  folder,
  log,
  settings = {},
}: Options): Promise<EmbeddedPostgres> {
  await using opened = new AsyncDisposableStack()
  const serverLog = opened.use(await openServerLog(folder.path))
  const place = opened.use(await placeCluster(folder))
  const { home, account } = place
  const cluster = clusterIn(home)
  const binaries = await findBinaries(account)
  if ((await createCluster(cluster, binaries, account)) === 'created')
    log.info({ cluster }, 'postgres.created')
  const left = await readPostmasterFile(cluster)
  const socket = opened.use(await makeSocketFolder(home, account))
  await clearLeftovers(cluster, socket.path, log)
  if (left) await removeTemporarySocketFolder(left.socketFolder)
  const plan: ServerPlan = {
    binaries,
    cluster,
    account,
    socketFolder: socket.path,
    settings: { ...serverSettings(socket.path), ...settings },
    serverLog,
    log,
  }
  opened.use(keepAlive(plan, await startWithRetry(plan)))
  const open = opened.move()
  return {
    connection: { host: socket.path, port: 5432, user: clusterUser, database: clusterDatabase },
    cluster,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Children of a killed server may hold its memory for some seconds: then we only have to wait. */
async function startWithRetry(plan: ServerPlan): Promise<Server> {
  const deadline = performance.now() + maxBusyMs
  for (;;) {
    try {
      return await runServer(plan)
    } catch (error) {
      const busy =
        error instanceof ServerRefused &&
        /pre-existing shared memory block|lock file ".*" already exists/.test(error.output)
      if (!busy || performance.now() > deadline) throw error
      plan.log.info({ says: 'PostgreSQL of an earlier run is still shutting down' }, 'postgres.waiting')
      await clearLeftovers(plan.cluster, plan.socketFolder, plan.log)
      await pause(250)
    }
  }
}

/** Disposing stops the server; until then it is restarted whenever it dies. */
function keepAlive(plan: ServerPlan, first: Server): AsyncDisposable {
  const stopping = new AbortController()
  let server = first

  async function watch(): Promise<void> {
    let restartedAt = Number.NEGATIVE_INFINITY
    for (;;) {
      const how = await server.ended
      if (stopping.signal.aborted) return
      const diedAt = performance.now()
      plan.log.warn({ how }, 'postgres.died')
      const next = await startAgain(plan, stopping.signal, diedAt - restartedAt < shortLifeMs ? 1_000 : 0)
      if (!next) return
      restartedAt = performance.now()
      plan.log.info({ downMs: Math.round(restartedAt - diedAt) }, 'postgres.restarted')
      server = next
    }
  }

  const watching = watch()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await server.stop()
      await watching
    },
  }
}

/** With growing pauses, until it works or is no longer wanted. */
async function startAgain(
  plan: ServerPlan,
  stopping: AbortSignal,
  firstPauseMs: number,
): Promise<Server | undefined> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2 + 200, longestPauseMs)) {
    await pause(pauseMs, undefined, { signal: stopping }).catch(() => {})
    if (stopping.aborted) return undefined
    try {
      await clearLeftovers(plan.cluster, plan.socketFolder, plan.log)
      const server = await startWithRetry(plan)
      if (!stopping.aborted) return server
      await server.stop()
    } catch (error) {
      plan.log.error({ err: error }, 'postgres.restart_failed')
    }
  }
}
