import { bootstrapAccounts } from './accounts/users/bootstrap-accounts.ts'
import { prepareFirstAdmin } from './accounts/users/prepare-first-admin.ts'
import type { AppContext } from './app/app-context.ts'
import { followKeys } from './app/follow-keys.ts'
import { createListener } from './app/listener.ts'
import { openContext } from './app/open-context.ts'
import { openFoundations } from './app/open-foundations.ts'
import { pauseRestoredCopy } from './app/pause-restored-copy.ts'
import { startWorkers } from './app/workers.ts'
import { endLeases } from './chat/delivery/outbound/store.ts'
import type { Config } from './config.ts'
import { moveKeysOutOfUrls } from './connectors/manage/move-keys-out-of-urls.ts'
import { listen } from './platform/http-server/listen.ts'
import { maxOpenConnections } from './platform/http-server/max-open-connections.ts'
import type { Log } from './platform/log.ts'
import { announceReplica } from './status/replicas.ts'

export type Facts = {
  readonly url: string
  readonly ctx: AppContext
  readonly setupUrl: string | null
}
export type App = AsyncDisposable &
  Facts & {
    /** Call some time before disposing, for a load balancer to notice. */
    leave(): void
  }

/** What comes from outside. Tests set the clock and inject faults; everything else is configuration. */
type Dependencies = {
  log: Log
  now?: () => Date
  faults?: (point: string) => void | Promise<void>
  /** Called when everything is up, before `/readyz` reports it, so that the link for the first admin has been printed by then. */
  beforeReady?: (facts: Facts) => Promise<void>
}

const graceMs = 25_000

/** The composition root: what exists (src/app/), then who listens and who works. */
export async function startApp(config: Config, dependencies: Dependencies): Promise<App> {
  const { log, now = () => new Date(), faults, beforeReady } = dependencies
  const maxConnections = maxOpenConnections()
  await using stack = new AsyncDisposableStack()
  // The AI SDK's only switch for this. Otherwise it prints its warnings outside the log; models/report-warnings.ts logs them.
  globalThis.AI_SDK_LOG_WARNINGS = false
  const foundations = await openFoundations(config, { log, now, faults }, stack)
  const ctx = await openContext(foundations, stack)
  const { lifecycle } = ctx

  if (!config.databaseUrl) await pauseRestoredCopy(ctx, config.dataDir)
  await bootstrapAccounts(ctx, config)
  await moveKeysOutOfUrls(ctx)
  const setupPath = await prepareFirstAdmin(ctx)
  const server = stack.use(
    await listen({
      host: config.host,
      port: config.port,
      listener: createListener(ctx),
      graceMs,
      isLeaving: () => lifecycle.phase === 'leaving' || lifecycle.phase === 'stopping',
      maxConnections,
      onFull: (says) => log.warn({ says }, 'http.full'),
    }),
  )
  if (config.port === 0 && !config.publicUrl) ctx.publicUrl = `http://${config.host}:${server.port}`
  stack.use(announceReplica(ctx, ctx.replica, { isAlone: !config.databaseUrl }))
  // The data folder is ours alone, so any process that held a lease is gone.
  if (!config.databaseUrl) await endLeases(ctx.db)
  if (config.role !== 'web') stack.use(await startWorkers(ctx))
  await followKeys(ctx)
  // Runs first on shutdown, since disposal is in reverse order: from then on /readyz answers that we are not ready.
  stack.defer(() => {
    lifecycle.phase = 'stopping'
    ctx.live.streams.end()
    ctx.webhooks.releaseWaitingSenders()
    ctx.queue.stopTaking()
  })

  const facts = { url: ctx.publicUrl, ctx, setupUrl: setupPath && ctx.publicUrl + setupPath }
  await beforeReady?.(facts)
  lifecycle.phase = 'ready'
  const opened = stack.move()
  return {
    ...facts,
    leave() {
      lifecycle.phase = 'leaving'
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
