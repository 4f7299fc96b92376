import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { authenticate } from './accounts/authenticate.ts'
import { bootstrapAccounts } from './accounts/bootstrap-accounts.ts'
import { checkOrigin } from './accounts/check-origin.ts'
import { prepareFirstAdmin } from './accounts/prepare-first-admin.ts'
import { recordAudit } from './accounts/record-audit.ts'
import { type Actor, systemActor } from './actor.ts'
import { createApi, type Denied } from './api.ts'
import { describeApi, type OpenApi } from './api-description.ts'
import { decideApproval } from './approvals/decide-approval.ts'
import { voidApprovals } from './approvals/void-approvals.ts'
import type { Audit } from './audit.ts'
import { type ChannelFeed, openChannelFeed } from './chat/channels/channel-feed.ts'
import type { Chat } from './chat/chat.ts'
import { createMemory, type Memory } from './chat/memory.ts'
import { openChat } from './chat/open-chat.ts'
import type { CardClick } from './chat/routes.ts'
import { type Config, publicUrlOf } from './config.ts'
import type { CallableTool, PrepareCall } from './connectors/callable-tool.ts'
import { type McpSessions, openMcpSessions } from './connectors/mcp/open-sessions.ts'
import { makeDue } from './connectors/mcp/store.ts'
import { prepareCall } from './connectors/prepare-call.ts'
import { createSchemaCache, type SchemaCache } from './connectors/schema/compile-schema.ts'
import { openToolShelf, type ToolShelf } from './connectors/tool-shelf.ts'
import { type ConnectorId, type EventId, newId } from './ids.ts'
import { type Jobs, jobs } from './jobs.ts'
import { noteApiChange } from './note-api-change.ts'
import { openStore } from './open-store.ts'
import { keysChanged, readKeys } from './platform/crypto/load-keys.ts'
import type { SealedColumn } from './platform/crypto/reseal.ts'
import type { Vault } from './platform/crypto/vault.ts'
import type { Database, Db } from './platform/db/database.ts'
import { type Notifications, openNotifications } from './platform/db/notifications.ts'
import { type Egress, openEgress } from './platform/egress/open-egress.ts'
import { openTrustedFetch } from './platform/egress/trusted-fetch.ts'
import { type EventStreams, openEventStreams } from './platform/http/event-streams.ts'
import { type Listener, listen } from './platform/http/listen.ts'
import { createSourceAddress, type SourceAddress } from './platform/http/source-address.ts'
import { serveStaticFiles } from './platform/http/static-files.ts'
import type { Log } from './platform/log.ts'
import { createMetrics, type Metrics } from './platform/metrics.ts'
import { openQueue, type Queue } from './platform/queue/queue.ts'
import { openTracing, type Tracing } from './platform/tracing.ts'
import { routes } from './routes.ts'
import { eraseRuns } from './runs/erase-runs.ts'
import { type Models, modelLimits, openModels } from './runs/models/open-models.ts'
import { serveCall } from './runs/serve-call.ts'
import { openSettings, type Settings } from './runs/settings/open-settings.ts'
import { openToolSets, type ToolSets } from './runs/tool-set.ts'
import type { Inbox } from './runs/trigger.ts'
import { sealedColumns } from './sealed-columns.ts'
import type { Stats } from './status/contract.ts'
import { type FollowChanges, openFollowChanges } from './status/follow-changes.ts'
import { openStats } from './status/open-stats.ts'
import type { AskedStats } from './status/read-stats.ts'
import { announceReplica, type Replica } from './status/replicas.ts'
import type { StreamContext } from './status/stream-changes.ts'
import type { ServeContext } from './tools/mcp-server/answer-mcp.ts'
import type { TellChannel } from './webhooks/bury-dead-events.ts'
import { openWebhooks, type Webhooks } from './webhooks/open-webhooks.ts'
import { readTrigger } from './webhooks/read-trigger.ts'
import { parkEvent, pauseWebhook, settleEvent } from './webhooks/settle-event.ts'
import { movingEvent, sayEventSettled } from './webhooks/store/events.ts'
import { startWorkers } from './workers.ts'

/** Everything that exists while Bellhop runs. Each function takes the part of it that it names. */
export type AppContext = {
  config: Config
  /** The address people and senders use. */
  publicUrl: string
  /** This process among those on the same database. */
  replica: Replica
  database: Database
  db: Db
  vault: Vault
  sealedColumns: readonly SealedColumn[]
  readStats(asked: AskedStats): Promise<Stats>
  queue: Queue<Jobs>
  notifications: Notifications
  egress: Egress
  schemas: SchemaCache
  mcpSessions: McpSessions
  toolShelf: ToolShelf
  listCallableTools(): Promise<readonly CallableTool[]>
  findCallableTool(name: string): Promise<CallableTool | null>
  approvalSeconds(): Promise<number>
  agentName(): Promise<string>
  settings: Settings
  models: Models
  toolSets: ToolSets
  inbox: Inbox
  faults?: (point: string) => void | Promise<void>
  prepareCall: PrepareCall
  serveCall: ServeContext['serveCall']
  voidApprovals(tx: Db, connectorId: ConnectorId): Promise<void>
  chat: Chat
  feed: ChannelFeed
  streams: EventStreams
  followChanges: FollowChanges
  followChannels: StreamContext['followChannels']
  onChanged(path: string, id: string | undefined): Promise<void>
  chatMemory: Memory
  decideFromChat(click: CardClick): Promise<unknown>
  log: Log
  metrics: Metrics
  tracing: Tracing
  audit: Audit
  now: () => Date
  isStopping(): boolean
  webhooks: Webhooks
  tellChannel: TellChannel
  eraseRunsOf(tx: Db, eventId: EventId): Promise<void>
  sourceAddress: SourceAddress
  authenticate(request: Request, source: string): Promise<Actor | null>
  checkOrigin(request: Request): void
  onDenied(actor: Actor, denied: Denied): Promise<void>
  servePage(request: Request): Promise<Response | null>
  describeApi(): OpenApi
}

export type App = AsyncDisposable & {
  readonly url: string
  readonly ctx: AppContext
  readonly setupUrl: string | null
}

/** What tests set from outside: time, and faults at the points where they hurt. Everything else is configuration. */
type Outside = { log: Log; now?: () => Date; faults?: (point: string) => void | Promise<void> }

const root = join(import.meta.dirname, '..')
const graceMs = 25_000

/** The composition root: the only place that knows which database, model and chat we use. */
export async function startApp(config: Config, outside: Outside): Promise<App> {
  const { log, now = () => new Date(), faults } = outside
  await using stack = new AsyncDisposableStack()
  const version = await readVersion()
  const metrics = createMetrics()
  const tracing = stack.use(await openTracing(config.otlpEndpoint, version))
  const { database, vault } = stack.use(await openStore(config, log))
  const { db } = database
  const onError = (error: Error) => log.warn({ err: error }, 'database.connection_lost')
  // Before the queue: at the end, work under way still needs it.
  const egress = stack.use(
    openEgress({
      allowedHosts: config.egressAllowedHosts,
      privateExceptions: config.egressPrivateExceptions,
      ownOrigins: () => [ctx.publicUrl, `http://localhost:${config.port}`],
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
  const settings = await openSettings({ db, notifications })
  const queue = stack.use(
    await openQueue<Jobs>({ database, jobs, notifications, supervises: config.role !== 'web', onError }),
  )

  const toolShelf = openToolShelf({ db })
  const feed = await openChannelFeed({ db, notifications, log })
  const followChanges = await openFollowChanges(notifications)

  let stopping = false
  let chat: Chat | undefined
  const ctx: AppContext = {
    config,
    publicUrl: publicUrlOf(config),
    replica: { id: newId('replica'), role: config.role, version },
    database,
    db,
    vault,
    sealedColumns,
    readStats: openStats({ db, now }),
    queue,
    notifications,
    egress,
    schemas: createSchemaCache(),
    mcpSessions,
    toolShelf,
    listCallableTools: async () => (await toolShelf.read()).tools,
    findCallableTool: async (name) => (await toolShelf.read()).byName.get(name) ?? null,
    prepareCall: (tool, input, callId) => prepareCall(ctx, tool, input, callId),
    serveCall: (asked) => serveCall(ctx, asked),
    agentName: async () => (await settings.read()).agent.name,
    approvalSeconds: async () => (await settings.read()).limits.approvalSeconds,
    settings,
    models: openModels({ egress, trustedFetch: trusted.fetch }),
    toolSets: openToolSets({ db, listCallableTools: async () => (await toolShelf.read()).tools }),
    inbox: {
      readTrigger: (eventId) => readTrigger(db, eventId),
      settleEvent,
      settlingEvent: movingEvent,
      saySettled: sayEventSettled,
      parkEvent,
      pauseWebhook,
    },
    ...(faults ? { faults } : {}),
    voidApprovals: (tx, connectorId) => voidApprovals({ db: tx, queue }, { connectorId }),
    // Made at first use: it reads the rest of the context, publicUrl among it.
    get chat() {
      chat ??= openChat(ctx)
      return chat
    },
    chatMemory: createMemory(now),
    feed,
    streams: openEventStreams(),
    followChanges,
    followChannels: feed.followAll,
    onChanged: (path, id) => noteApiChange(db, path, id),
    decideFromChat: (click) => decideApproval(ctx, { ...click, via: 'card' }),
    log,
    metrics,
    tracing,
    audit: recordAudit,
    now,
    isStopping: () => stopping,
    // Opened below: it takes the context itself.
    webhooks: undefined as unknown as Webhooks,
    eraseRunsOf: (tx, eventId) => eraseRuns({ db: tx, queue }, eventId),
    tellChannel: async (channelId, text, key) =>
      void (await ctx.chat.post({ channelId, threadId: null, text, key, author: 'system' })),
    sourceAddress: createSourceAddress(config.trustedProxies),
    authenticate: (request, source) => authenticate(ctx, request, source),
    checkOrigin: (request) => checkOrigin(ctx, request),
    onDenied: (actor, { source, ...detail }) =>
      recordAudit(db, { actor, action: 'access.denied', source, detail }),
    servePage: serveStaticFiles(join(root, 'dist/dashboard')),
    describeApi: () => describeApi(routes, version),
  }

  ctx.webhooks = stack.use(await openWebhooks(ctx))
  followChanges((changes) => {
    if (changes === 'missed' || 'sessions' in changes || 'users' in changes || 'api-keys' in changes)
      ctx.streams.recheck()
  })
  await bootstrapAccounts(ctx, config)
  const setupPath = await prepareFirstAdmin(ctx)

  const server = stack.use(
    await listen({ host: config.host, port: config.port, listener: createListener(ctx), graceMs }),
  )
  if (config.port === 0 && !config.publicUrl) ctx.publicUrl = `http://${config.host}:${server.port}`
  stack.use(announceReplica(ctx, ctx.replica))
  if (config.role !== 'web') stack.use(await startWorkers(ctx))
  if (!config.databaseUrl && config.encryptionKeys.length === 0) await followKeys(ctx)
  // Disposed first, in the reverse order of opening: from now on /readyz says no.
  stack.defer(() => {
    stopping = true
    ctx.streams.end()
  })

  const opened = stack.move()
  return {
    url: ctx.publicUrl,
    ctx,
    setupUrl: setupPath && ctx.publicUrl + setupPath,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** `rotate-encryption-key` writes a new key into the data folder and tells us. */
async function followKeys({ config, notifications, settings, vault, log }: AppContext): Promise<void> {
  await notifications.listen(keysChanged, () => {
    readKeys(config.dataDir).then(
      (keys) => {
        vault.useKeys(keys)
        // What is remembered was sealed with a key that is about to go.
        settings.forget()
      },
      (error: unknown) => log.error({ err: error }, 'vault.keys_unreadable'),
    )
  })
}

function createListener(ctx: AppContext): Listener {
  const api = createApi(ctx, routes)
  const answer = getRequestListener((request, env) => api.fetch(request, env), {
    overrideGlobalObjects: false,
  })
  return (request, response) =>
    request.url?.startsWith('/hooks/') ? ctx.webhooks.door(request, response) : void answer(request, response)
}

async function readVersion(): Promise<string> {
  const text = await readFile(join(root, 'package.json'), 'utf8')
  // Our own package.json always has a version.
  return (JSON.parse(text) as { version: string }).version
}
