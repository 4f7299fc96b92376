import type { RightsTaken } from '../accounts/users/change-user.ts'
import type { Cache } from '../chat/cache.ts'
import type { ChannelFeed } from '../chat/channels/channel-feed.ts'
import type { PlaceNarrowed } from '../chat/channels/manage-channels.ts'
import type { CardClick, Chat } from '../chat/chat.ts'
import type { Config } from '../config.ts'
import type { CallableTool, PrepareCall } from '../connectors/call/callable-tool.ts'
import type { ToolCache } from '../connectors/call/tool-cache.ts'
import type { RecordHealth } from '../connectors/manage/record-health.ts'
import type { McpSessions } from '../connectors/mcp/open-sessions.ts'
import type { SchemaCache } from '../connectors/schema/compile-schema.ts'
import type { PostNotice } from '../events/inbox/report-dead-event.ts'
import type { Denied } from '../http/api.ts'
import type { ApiDescription } from '../http/api-description.ts'
import type { JobQueue } from '../jobs.ts'
import type { Models } from '../models/open-models.ts'
import type { SealedColumn } from '../platform/crypto/reseal.ts'
import type { Vault } from '../platform/crypto/vault.ts'
import type { Database, Db } from '../platform/db/database.ts'
import type { Notifications } from '../platform/db/notifications.ts'
import type { Egress } from '../platform/egress/open-egress.ts'
import type { EventStreams } from '../platform/http-server/event-streams.ts'
import type { SourceAddress } from '../platform/http-server/source-address.ts'
import type { Log } from '../platform/log.ts'
import type { Tracing } from '../platform/tracing.ts'
import type { RunContext } from '../runs/loop/run-context.ts'
import type { ToolSets } from '../runs/loop/tool-set.ts'
import type { ChangeContext } from '../settings/change-settings.ts'
import type { Settings } from '../settings/open-settings.ts'
import type { Actor } from '../shared/actor.ts'
import type { Audit } from '../shared/audit.ts'
import type { RefuseMissingConnectors } from '../shared/connector-ids.ts'
import type { ConnectorId, EventId } from '../shared/ids.ts'
import type { Stats } from '../status/contract.ts'
import type { FollowChanges } from '../status/follow-changes.ts'
import type { StatsQuery } from '../status/read-stats.ts'
import type { Replica } from '../status/replicas.ts'
import type { StreamContext } from '../status/stream-changes.ts'
import type { RightsContext } from '../tools/decide-call.ts'
import type { ServeContext } from '../tools/mcp-server/answer-mcp.ts'
import type { ScopeNarrowed } from '../webhooks/manage/change-webhook.ts'
import type { Webhooks } from '../webhooks/manage/open-webhooks.ts'
import type { Metrics } from './create-metrics.ts'

/** Everything that exists while Bellhop runs. Each function declares the part of it that it needs. */
export type AppContext = {
  config: Config
  /** The address people and senders use. */
  publicUrl: string
  /** This process among those on the same database. */
  replica: Replica
  database: Database
  /** Where the embedded database is kept; null when the database is elsewhere. */
  databaseFolder: string | null
  migrations: readonly string[]
  db: Db
  vault: Vault
  sealedColumns: readonly SealedColumn[]
  readStats(asked: StatsQuery): Promise<Stats>
  queue: JobQueue
  notifications: Notifications
  egress: Egress
  schemas: SchemaCache
  mcpSessions: McpSessions
  toolCache: ToolCache
  recordHealth: RecordHealth
  listCallableTools(): Promise<readonly CallableTool[]>
  findCallableTool(name: string): Promise<CallableTool | null>
  approvalSeconds(): Promise<number>
  agentName(): Promise<string>
  settings: Settings
  models: Models
  toolSets: ToolSets
  pauseWebhook: RunContext['pauseWebhook']
  wakeRuns: ChangeContext['wakeRuns']
  faults?: (point: string) => void | Promise<void>
  prepareCall: PrepareCall
  serveCall: ServeContext['serveCall']
  voidApprovals(tx: Db, connectorId: ConnectorId): Promise<void>
  voidRequestsOf: RightsTaken['voidRequestsOf']
  voidBeyond: ScopeNarrowed['voidBeyond']
  voidOutsideList: PlaceNarrowed['voidOutsideList']
  voidRequestsIn: PlaceNarrowed['voidRequestsIn']
  findRole: RightsContext['findRole']
  findScope: RightsContext['findScope']
  refuseMissingConnectors: RefuseMissingConnectors
  chat: Chat
  feed: ChannelFeed
  streams: EventStreams
  followChanges: FollowChanges
  followChannels: StreamContext['followChannels']
  onChanged(path: string, id: string | undefined): Promise<void>
  chatCache: Cache
  decideFromChat(click: CardClick): Promise<unknown>
  log: Log
  metrics: Metrics
  tracing: Tracing
  audit: Audit
  now: () => Date
  isStarting(): boolean
  /** About to stop: a load balancer should turn to others, and until then everything works. */
  isLeaving(): boolean
  isStopping(): boolean
  webhooks: Webhooks
  postNotice: PostNotice
  eraseRunsOf(tx: Db, eventId: EventId): Promise<void>
  sourceAddress: SourceAddress
  authenticate(request: Request, source: string): Promise<Actor | null>
  checkOrigin(request: Request): void
  onDenied(actor: Actor, denied: Denied): Promise<void>
  servePage(request: Request): Promise<Response | null>
  apiDescription(): ApiDescription
}
