import { type Backlog, watchBacklog } from '../../events/inbox/backlog.ts'
import { openDispatcher } from '../../events/inbox/dispatch-events.ts'
import type { EventMetrics } from '../../events/inbox/event-metrics.ts'
import { type Inbox, openInbox } from '../../events/inbox/inbox.ts'
import { notifyEventsWaiting } from '../../events/inbox/move-events.ts'
import type { JobQueue } from '../../jobs.ts'
import type { Conditions } from '../../platform/conditions/open-conditions.ts'
import { connections } from '../../platform/connections.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import { type Database, openDatabase } from '../../platform/db/database.ts'
import type { Notifications } from '../../platform/db/notifications.ts'
import type { Listener } from '../../platform/http-server/listen.ts'
import type { SourceAddress } from '../../platform/http-server/source-address.ts'
import type { Log } from '../../platform/log.ts'
import { publishChange } from '../../shared/changes.ts'
import type { Lifecycle } from '../../shared/lifecycle.ts'
import { openBodyMemory } from '../ingress/body/body-memory.ts'
import type { DeliveryMetrics } from '../ingress/delivery-metrics.ts'
import { createFailureLimit } from '../ingress/failure-limit.ts'
import { createIngress } from '../ingress/ingress.ts'
import { openRefusalLog } from '../ingress/refusal-log.ts'
import { createUrlCache, type UrlCache } from '../ingress/url-cache.ts'
import { watchRuns } from '../ingress/watch-runs.ts'
import { webhookChanged } from '../store/webhooks.ts'

type Context = {
  config: { role: 'all' | 'web' | 'worker' }
  publicUrl: string
  store: { database: Database; databaseFolder: string | null }
  vault: Vault
  queue: JobQueue
  conditions: Conditions
  settings: Parameters<typeof openDispatcher>[0]['settings']
  outages: Parameters<typeof openDispatcher>[0]['outages']
  notifications: Notifications
  sourceAddress: SourceAddress
  log: Log
  metrics: EventMetrics & DeliveryMetrics
  now: () => Date
  lifecycle: Lifecycle
}

export type Webhooks = AsyncDisposable & {
  /** `POST /hooks/<token>`. */
  ingress: Listener
  urlCache: UrlCache
  inbox: Inbox
  /** Stores what the ingress recorded and has not stored yet. */
  flush(): Promise<void>
  fullBecause: Backlog['fullBecause']
  /** Answers senders that wait for the end of their run, since the service stops. */
  releaseWaitingSenders(): void
}

/** Everything of this slice that lives as long as the service. */
export async function openWebhooks(ctx: Context): Promise<Webhooks> {
  await using stack = new AsyncDisposableStack()
  const { db, connection } = ctx.store.database
  const onError = (error: Error) => ctx.log.warn({ err: error }, 'webhooks.store_failed')
  // Its own connections: however busy the others are, the ingress finds one. No sender waits longer than this for an answer.
  const own = stack.use(
    openDatabase(connection, {
      maxConnections: connections.accepting,
      pipeline: true,
      onError,
      silenceMs: 15_000,
    }),
  )

  const urlCache = createUrlCache({ db: own.db, vault: ctx.vault })
  const stopListening = await ctx.notifications.listen(webhookChanged, (id) =>
    // The payload is what notifyWebhookChanged sent: a webhook's id.
    urlCache.forget(id as Parameters<UrlCache['forget']>[0]),
  )
  stack.defer(stopListening)

  const dispatches = ctx.config.role !== 'web'
  const dispatcher = dispatches ? stack.use(await openDispatcher({ ...ctx, db, onError })) : null
  const inbox = stack.use(
    openInbox({
      pool: own.pool,
      onAccepted: () => {
        if (dispatcher) dispatcher.wake()
        else void notifyEventsWaiting(db)
        void publishChange(db, 'events')
      },
      onError,
    }),
  )
  const failures = createFailureLimit()
  const refusalLog = stack.use(openRefusalLog({ db, vault: ctx.vault, now: ctx.now, onError }, failures))
  const backlog = stack.use(
    watchBacklog({
      db,
      folder: ctx.store.databaseFolder,
      log: ctx.log,
      onCounted: (waiting) => ctx.metrics.waiting.set(waiting),
    }),
  )
  await backlog.look()
  const runWatch = stack.use(await watchRuns(ctx.notifications, db))

  const ingress = createIngress({
    get publicUrl() {
      return ctx.publicUrl
    },
    now: ctx.now,
    lifecycle: ctx.lifecycle,
    sourceAddress: ctx.sourceAddress,
    log: ctx.log,
    metrics: ctx.metrics,
    urlCache,
    bodyMemory: openBodyMemory(),
    inbox,
    refusalLog,
    failures,
    backlog,
    runWatch,
  })
  const opened = stack.move()
  return {
    ingress,
    urlCache,
    inbox,
    fullBecause: backlog.fullBecause,
    flush: refusalLog.flush,
    releaseWaitingSenders: runWatch.releaseAll,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
