import type { ShapeContext } from '../approvals/shapes.ts'
import type { Cache } from '../chat/cache.ts'
import type { ChannelFeed } from '../chat/channels/channel-feed.ts'
import type { Chat, ChatCommands } from '../chat/chat.ts'
import type { ChangeWatchContext } from '../chat/watches/change-watch.ts'
import type { WatchContext } from '../chat/watches/match-watch.ts'
import type { Config } from '../config.ts'
import type { Tools } from '../connectors/call/callable-tool.ts'
import type { Connectors } from '../connectors/open-connectors.ts'
import type { EraseContext } from '../events/ledger/erase-event.ts'
import type { ApiDescription } from '../http/api-description.ts'
import type { JobQueue } from '../jobs.ts'
import type { Models } from '../models/open-models.ts'
import type { Conditions } from '../platform/conditions/open-conditions.ts'
import type { Vault } from '../platform/crypto/vault.ts'
import type { Db } from '../platform/db/database.ts'
import type { Notifications } from '../platform/db/notifications.ts'
import type { Egress } from '../platform/egress/open-egress.ts'
import type { EventStreams } from '../platform/http-server/event-streams.ts'
import type { SourceAddress } from '../platform/http-server/source-address.ts'
import type { Log } from '../platform/log.ts'
import type { Tracing } from '../platform/tracing.ts'
import type { RunContext } from '../runs/loop/run-context.ts'
import type { ToolSets } from '../runs/loop/tool-calls/tool-set.ts'
import type { Outages } from '../runs/outages/open-outages.ts'
import type { ChangeContext } from '../settings/change-settings.ts'
import type { Settings } from '../settings/open-settings.ts'
import type { Audit } from '../shared/audit.ts'
import type { Lifecycle } from '../shared/lifecycle.ts'
import type { Authentication } from '../shared/ports/authentication.ts'
import type { Statements } from '../shared/ports/statements.ts'
import type { VoidApprovals } from '../shared/ports/voided.ts'
import type { FollowChanges } from '../status/follow-changes.ts'
import type { Statistics } from '../status/open-statistics.ts'
import type { Replica } from '../status/replicas.ts'
import type { Rights } from '../tools/gate/decide-call.ts'
import type { ServeContext } from '../tools/mcp-server/answer-mcp.ts'
import type { Webhooks } from '../webhooks/manage/open-webhooks.ts'
import type { Metrics } from './create-metrics.ts'
import type { Store } from './open-store.ts'

/** Everything that exists while Bellhop runs. Each function declares the part of it that it needs. */
export type AppContext = Foundations & Slices & Ports

/** What every slice stands on. */
export type Foundations = {
  config: Config
  /** The address people and senders use. */
  publicUrl: string
  /** This process among those on the same database. */
  replica: Replica
  lifecycle: Lifecycle
  store: Store
  db: Db
  vault: Vault
  notifications: Notifications
  egress: Egress
  sourceAddress: SourceAddress
  conditions: Conditions
  log: Log
  metrics: Metrics
  tracing: Tracing
  now: () => Date
  /** Only tests set it: called at each point where a crash would hurt most. */
  faults?: (point: string) => void | Promise<void>
}

/** What a slice keeps as long as the service runs. */
export type Slices = {
  queue: JobQueue
  settings: Settings
  models: Models
  outages: Outages
  connectors: Connectors
  tools: Tools
  toolSets: ToolSets
  chat: Chat
  chatCache: Cache
  webhooks: Webhooks
  live: Live
  statistics: Statistics
  apiDescription(): ApiDescription
}

/** What open pages hear of, as it happens. */
type Live = { streams: EventStreams; channels: ChannelFeed; followChanges: FollowChanges }

/** What slices do for others that may not import them. */
export type Ports = {
  audit: Audit
  statements: Statements
  authentication: Authentication
  rights: Rights
  voidApprovals: VoidApprovals
  commands: ChatCommands
  runs: ServeContext['runs'] & ChangeContext['runs'] & EraseContext['runs']
  events: ShapeContext['events'] & WatchContext['events'] & ChangeWatchContext['events']
  sources: RunContext['sources']
}
