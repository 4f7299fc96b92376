import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { recordAudit } from './accounts/audit-log/record-audit.ts'
import { authenticate } from './accounts/signing-in/authenticate.ts'
import { checkOrigin } from './accounts/signing-in/check-origin.ts'
import { bootstrapAccounts } from './accounts/users/bootstrap-accounts.ts'
import { findRole } from './accounts/users/find-role.ts'
import { prepareFirstAdmin } from './accounts/users/prepare-first-admin.ts'
import type { AppContext } from './app/app-context.ts'
import { createMetrics } from './app/create-metrics.ts'
import { createListener } from './app/listener.ts'
import { openStore } from './app/open-store.ts'
import { sealedColumns } from './app/sealed-columns.ts'
import { startWorkers } from './app/workers.ts'
import { decideApproval } from './approvals/decide-approval.ts'
import { voidApprovals } from './approvals/void-approvals.ts'
import { createCache } from './chat/cache.ts'
import { openChannelFeed } from './chat/channels/channel-feed.ts'
import { findChannelScope } from './chat/channels/find-channel-scope.ts'
import type { Chat } from './chat/chat.ts'
import { endLeases } from './chat/delivery/outbound/store.ts'
import { openChat } from './chat/open-chat.ts'
import { type Config, publicUrlOf } from './config.ts'
import { prepareCall } from './connectors/call/prepare-call.ts'
import { openToolCache } from './connectors/call/tool-cache.ts'
import { openRecordHealth } from './connectors/manage/record-health.ts'
import { refuseMissingConnectors } from './connectors/manage/refuse-missing-connectors.ts'
import { openMcpSessions } from './connectors/mcp/open-sessions.ts'
import { makeDue } from './connectors/mcp/store.ts'
import { createSchemaCache } from './connectors/schema/compile-schema.ts'
import { createApiDescription } from './http/api-description.ts'
import { problem } from './http/problems.ts'
import { publishApiChange } from './http/publish-api-change.ts'
import { type Jobs, jobs } from './jobs.ts'
import { modelLimits, openModels } from './models/open-models.ts'
import { keysChanged, keysInUse, readKeys } from './platform/crypto/load-keys.ts'
import { checkNotifications } from './platform/db/check-notifications.ts'
import { openNotifications } from './platform/db/notifications.ts'
import { notify } from './platform/db/notify.ts'
import { openEgress } from './platform/egress/open-egress.ts'
import { openTrustedFetch } from './platform/egress/trusted-fetch.ts'
import { basePathOf } from './platform/http-server/base-path.ts'
import { openEventStreams } from './platform/http-server/event-streams.ts'
import { listen } from './platform/http-server/listen.ts'
import { maxOpenConnections } from './platform/http-server/max-open-connections.ts'
import { createSourceAddress } from './platform/http-server/source-address.ts'
import { serveStaticFiles } from './platform/http-server/static-files.ts'
import type { Log } from './platform/log.ts'
import { openQueue } from './platform/queue/queue.ts'
import { openTracing } from './platform/tracing.ts'
import { routes } from './routes.ts'
import { eraseRuns } from './runs/history/erase-runs.ts'
import { serveCall } from './runs/loop/serve-call.ts'
import { openToolSets } from './runs/loop/tool-set.ts'
import { wakeRuns } from './runs/loop/wake-runs.ts'
import { openSettings } from './settings/open-settings.ts'
import { systemActor } from './shared/actor.ts'
import { newId } from './shared/ids.ts'
import { openFollowChanges } from './status/follow-changes.ts'
import { openStats } from './status/open-stats.ts'
import { announceReplica } from './status/replicas.ts'
import { findScope } from './webhooks/manage/find-scope.ts'
import { openWebhooks } from './webhooks/manage/open-webhooks.ts'
import { pauseWebhook } from './webhooks/manage/pause-webhook.ts'

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

const root = join(import.meta.dirname, '..')
const graceMs = 25_000

/** The composition root: the only place that knows which database, model and chat we use. */
export async function startApp(config: Config, dependencies: Dependencies): Promise<App> {
  const { log, now = () => new Date(), faults, beforeReady } = dependencies
  const maxConnections = maxOpenConnections()
  await using stack = new AsyncDisposableStack()
  // The AI SDK's only switch for this. Otherwise it prints its warnings outside the log; models/report-warnings.ts logs them.
  globalThis.AI_SDK_LOG_WARNINGS = false
  const version = await readVersion()
  const metrics = createMetrics()
  const tracing = stack.use(await openTracing(config.otlpEndpoint, version))
  const { database, vault, migrations, databaseFolder } = stack.use(await openStore(config, log))
  const { db } = database
  const onError = (error: Error) => log.warn({ err: error }, 'database.connection_lost')
  // Opened before the queue, so closed after it: jobs that are finishing still need it.
  const egress = stack.use(
    openEgress({
      allowedHosts: config.egressAllowedHosts,
      privateExceptions: config.egressPrivateExceptions,
      ownOrigins: () => [shared.publicUrl, `http://localhost:${config.port}`],
      onRefusal: (refused) =>
        void recordAudit(db, { actor: systemActor, action: 'egress.refused', detail: refused }).catch(
          onError,
        ),
    }),
  )
  const mcpSessions = stack.use(
    openMcpSessions({ egress, onToolsChanged: (id) => void makeDue(db, id).catch(onError) }),
  )
  const trusted = stack.use(openTrustedFetch(modelLimits))
  const notifications = stack.use(await openNotifications({ connection: database.connection, onError }))
  await checkNotifications({ db, notifications })
  const settings = await openSettings({ db, notifications })
  const queue = stack.use(
    await openQueue<Jobs>({ database, jobs, notifications, supervises: config.role !== 'web', onError }),
  )

  const toolCache = openToolCache({ db })
  const listCallableTools = async () => (await toolCache.read()).tools
  const feed = await openChannelFeed({ db, notifications, log })
  const followChanges = await openFollowChanges(notifications)

  let starting = true
  let leaving = false
  let stopping = false
  let chat: Chat | undefined
  const shared: Omit<AppContext, 'webhooks'> = {
    config,
    publicUrl: publicUrlOf(config),
    replica: { id: newId('replica'), role: config.role, version },
    database,
    databaseFolder,
    migrations,
    db,
    vault,
    sealedColumns,
    readStats: openStats({ db, now }),
    queue,
    notifications,
    egress,
    schemas: createSchemaCache(),
    mcpSessions,
    toolCache,
    recordHealth: openRecordHealth({ db, onError }),
    listCallableTools,
    findCallableTool: async (name) => (await toolCache.read()).byName.get(name) ?? null,
    prepareCall: (tool, input, callId) => prepareCall(shared, tool, input, callId),
    serveCall: (asked) => serveCall(shared, asked),
    agentName: async () => (await settings.read()).agent.name,
    approvalSeconds: async () => (await settings.read()).limits.approvalSeconds,
    settings,
    models: openModels({ egress, trustedFetch: trusted.fetch }),
    toolSets: openToolSets({ db, now, listCallableTools }),
    pauseWebhook,
    wakeRuns,
    faults,
    refuseMissingConnectors,
    voidApprovals: (tx, connectorId) => voidApprovals({ db: tx, queue }, { connectorId }),
    voidRequestsOf: async (tx, requesterId, role) => {
      if (role === 'admin') return
      await voidApprovals({ db: tx, queue }, { requesterId, isMember: role !== null })
    },
    voidBeyond: (tx, webhookId, scope) => voidApprovals({ db: tx, queue }, { webhookId, scope }),
    voidOutsideList: (tx, channelId, list) => voidApprovals({ db: tx, queue }, { channelId, list }),
    voidRequestsIn: (tx, gone) => voidApprovals({ db: tx, queue }, { gone }),
    findRole,
    findScope: (of, place) =>
      'webhookId' in place ? findScope(of, place.webhookId) : findChannelScope(of, place.channelId),
    // Created on first use, because it reads the rest of the context, including publicUrl.
    get chat() {
      chat ??= openChat(shared)
      return chat
    },
    chatCache: createCache(),
    feed,
    streams: openEventStreams(refuseMoreStreams),
    followChanges,
    followChannels: feed.followAll,
    onChanged: (path, id) => publishApiChange(db, path, id),
    decideFromChat: (click) => decideApproval(shared, { ...click, via: 'card' }),
    log,
    metrics,
    tracing,
    audit: recordAudit,
    now,
    isStarting: () => starting,
    isLeaving: () => leaving,
    isStopping: () => stopping,
    eraseRunsOf: (tx, eventId) => eraseRuns({ db: tx, queue }, eventId),
    postNotice: async (channelId, text, key) =>
      void (await shared.chat.post({ channelId, threadId: null, text, key, author: 'system' })),
    sourceAddress: createSourceAddress(config.trustedProxies),
    authenticate: (request, source) => authenticate(shared, request, source),
    checkOrigin: (request) => checkOrigin(shared, request),
    onDenied: (actor, { source, subject, ...detail }) =>
      recordAudit(db, { actor, action: 'access.denied', subject, source, detail }),
    servePage:
      config.role === 'worker'
        ? async () => null
        : serveStaticFiles({
            folder: join(root, 'dist/dashboard'),
            basePath: () => basePathOf(shared.publicUrl),
          }),
    apiDescription: createApiDescription(routes, () => ({ version, publicUrl: shared.publicUrl })),
  }

  const ctx: AppContext = Object.assign(shared, { webhooks: stack.use(await openWebhooks(shared)) })
  followChanges((changes) => {
    if (changes === 'missed' || 'sessions' in changes || 'users' in changes || 'api-keys' in changes)
      ctx.streams.recheck()
  })
  await bootstrapAccounts(ctx, config)
  const setupPath = await prepareFirstAdmin(ctx)

  const server = stack.use(
    await listen({
      host: config.host,
      port: config.port,
      listener: createListener(ctx),
      graceMs,
      isLeaving: () => leaving,
      maxConnections,
      onFull: (says) => log.warn({ says }, 'http.full'),
    }),
  )
  if (config.port === 0 && !config.publicUrl) ctx.publicUrl = `http://${config.host}:${server.port}`
  stack.use(announceReplica(ctx, ctx.replica))
  // The data folder is ours alone, so any process that held a lease is gone.
  if (!config.databaseUrl) await endLeases(db)
  if (config.role !== 'web') stack.use(await startWorkers(ctx))
  await followKeys(ctx)
  // Runs first on shutdown, since disposal is in reverse order: from then on /readyz answers that we are not ready.
  stack.defer(() => {
    stopping = true
    ctx.streams.end()
    ctx.webhooks.releaseWaitingSenders()
    ctx.queue.stopTaking()
  })

  const facts = { url: ctx.publicUrl, ctx, setupUrl: setupPath && ctx.publicUrl + setupPath }
  await beforeReady?.(facts)
  starting = false
  const opened = stack.move()
  return {
    ...facts,
    leave() {
      leaving = true
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/**
 * When keys change, reads them again and announces which one we seal with: `rotate-encryption-key` waits for that.
 */
async function followKeys(ctx: AppContext): Promise<void> {
  const { config, db, notifications, replica, settings, vault, log } = ctx
  const readAgain = async () =>
    config.encryptionKeys.length > 0 ? config.encryptionKeys : await readKeys(config.dataDir)
  await notifications.listen(keysChanged, () => {
    readAgain()
      .then(async (keys) => {
        vault.useKeys(keys)
        // Cached settings were sealed with a key that is about to be dropped.
        settings.forget()
        await notify(db, keysInUse, `${replica.id} ${vault.keyId}`)
      })
      .catch((error: unknown) => log.error({ err: error }, 'vault.keys_unreadable'))
  })
}

function refuseMoreStreams(most: number): never {
  throw problem(
    'too-many-requests',
    `You have ${most} streams open. Close some, or wait a moment for closed ones to be noticed.`,
    { headers: { 'retry-after': '15' } },
  )
}

async function readVersion(): Promise<string> {
  const text = await readFile(join(root, 'package.json'), 'utf8')
  // Our own package.json always has a version.
  return (JSON.parse(text) as { version: string }).version
}
