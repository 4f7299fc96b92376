import { recordAudit } from '../accounts/audit-log/record-audit.ts'
import { openAuthentication } from '../accounts/signing-in/open-authentication.ts'
import { findRole } from '../accounts/users/find-role.ts'
import { decideApproval } from '../approvals/decide-approval.ts'
import { voidByChange } from '../approvals/void-approvals.ts'
import { createCache } from '../chat/cache.ts'
import { openChannelFeed } from '../chat/channels/channel-feed.ts'
import { findChannelScope } from '../chat/channels/find-channel-scope.ts'
import { openChat } from '../chat/open-chat.ts'
import { pauseWatch } from '../chat/watches/store.ts'
import { openTools } from '../connectors/call/open-tools.ts'
import { openConnectors } from '../connectors/open-connectors.ts'
import { findSourceScope } from '../events/inbox/find-trigger.ts'
import { notifyEventsWaiting } from '../events/inbox/move-events.ts'
import { storeWatchedEvent } from '../events/inbox/store-watched-event.ts'
import { describeEventsOf } from '../events/ledger/describe-events-of.ts'
import { createApiDescription } from '../http/api-description.ts'
import { problem } from '../http/problems.ts'
import { type Jobs, jobs } from '../jobs.ts'
import { modelLimits, openModels } from '../models/open-models.ts'
import { openTrustedFetch } from '../platform/egress/fetch-through.ts'
import { openEventStreams } from '../platform/http-server/event-streams.ts'
import { openQueue } from '../platform/queue/queue.ts'
import { routes } from '../routes.ts'
import { cancelByClick } from '../runs/history/cancel-run.ts'
import { eraseRuns } from '../runs/history/erase-runs.ts'
import { serveCall } from '../runs/loop/tool-calls/serve-call.ts'
import { openToolSets } from '../runs/loop/tool-calls/tool-set.ts'
import { wakeRuns } from '../runs/loop/wake-runs.ts'
import { openOutages } from '../runs/outages/open-outages.ts'
import { eraseCase } from '../runs/rehearsals/cases/store.ts'
import { cancelComeBack, comeBack } from '../schedules/come-back.ts'
import { setPaused as pauseSchedule } from '../schedules/store.ts'
import { previewTiming } from '../schedules/timing/preview-timing.ts'
import { openSettings } from '../settings/open-settings.ts'
import { isScheduleId, isWatchId } from '../shared/ids.ts'
import { openFollowChanges } from '../status/follow-changes.ts'
import { openStatistics } from '../status/open-statistics.ts'
import { readStatement, signStatement } from '../tools/receipts/sign-statement.ts'
import { openWebhooks } from '../webhooks/manage/open-webhooks.ts'
import { pauseWebhook } from '../webhooks/manage/pause-webhook.ts'
import type { AppContext, Foundations, Ports, Slices } from './app-context.ts'
import { describeWork } from './describe-work.ts'

/** Opens every slice on the foundations and connects them; the stack closes them in reverse order. */
export async function openContext(
  foundations: Foundations,
  stack: AsyncDisposableStack,
): Promise<AppContext> {
  const slices = await openSlices(foundations, stack)
  const ctx: AppContext = Object.assign(
    foundations,
    slices,
    connectSlices(() => ctx),
  )
  slices.live.followChanges((changes) => {
    if (changes === 'missed' || 'sessions' in changes || 'users' in changes || 'api-keys' in changes)
      slices.live.streams.recheck()
  })
  return ctx
}

async function openSlices(foundations: Foundations, stack: AsyncDisposableStack): Promise<Slices> {
  const { config, replica, store, db, vault, notifications, egress, log, now } = foundations
  const onError = (error: Error) => log.warn({ err: error }, 'database.connection_lost')
  const settings = await openSettings({ db, notifications })

  const connectors = openConnectors({ ...foundations, audit: recordAudit, onError }, stack)
  const tools = openTools({ db, vault, egress, connectors })
  const trusted = stack.use(openTrustedFetch(modelLimits))

  // Opened after what jobs use, so closed before it: those that are finishing still need it.
  const { database } = store
  const supervises = config.role !== 'web'
  const queue = stack.use(await openQueue<Jobs>({ database, jobs, notifications, supervises, onError }))

  const chatCache = createCache()
  const outages = await openOutages({ db, notifications, settings, vault, config })
  // Not a copy: chat and webhooks read the public URL later, when the port is known.
  const opened = Object.assign(foundations, { queue, settings, outages, chatCache })
  return {
    queue,
    settings,
    models: openModels({ egress, trustedFetch: trusted.fetch }),
    outages,
    connectors,
    tools,
    toolSets: openToolSets({ db, now, tools }),
    chat: openChat(opened),
    chatCache,
    webhooks: stack.use(await openWebhooks(opened)),
    live: {
      streams: openEventStreams(refuseMoreStreams),
      channels: await openChannelFeed({ db, notifications, log }),
      followChanges: await openFollowChanges(notifications),
    },
    statistics: openStatistics({ db, now }),
    apiDescription: createApiDescription(routes, () => ({
      version: replica.version,
      publicUrl: foundations.publicUrl,
    })),
  }
}

function connectSlices(app: () => AppContext): Ports {
  return {
    audit: recordAudit,
    statements: {
      sign: (type, statement) => signStatement(app(), type, statement),
      read: (type, signed) => readStatement(app().db, type, signed),
    },
    authentication: openAuthentication(app),
    rights: {
      roleOf: findRole,
      scopeOf: (db, place) =>
        'sourceId' in place ? findSourceScope(db, place.sourceId) : findChannelScope(db, place.channelId),
    },
    voidApprovals: (tx, of) => voidByChange({ db: tx, queue: app().queue, audit: recordAudit }, of),
    commands: {
      decide: (click) => decideApproval(app(), { ...click, via: 'card' }),
      cancel: (click) => cancelByClick(app(), click),
      describeWork: (name, actor) => describeWork(app(), name, actor),
    },
    runs: {
      serveCall: (asked) => serveCall(app(), asked),
      wakeAll: wakeRuns,
      async eraseOf(tx, eventId) {
        await eraseRuns({ db: tx, queue: app().queue }, eventId)
        await eraseCase(tx, eventId)
      },
    },
    events: {
      describeOf: describeEventsOf,
      storeWatched: (tx, written) => storeWatchedEvent(tx, written, app().now()),
      resume: notifyEventsWaiting,
    },
    sources: {
      pause: (tx, id, reason) =>
        isScheduleId(id)
          ? pauseSchedule(tx, id, reason)
          : isWatchId(id)
            ? pauseWatch(tx, id, reason)
            : pauseWebhook(tx, id, reason),
      previewTiming: (timing) => previewTiming(app(), timing),
      comeBack: (asked) => comeBack(app(), asked),
      cancelComeBack: (threadId) =>
        app()
          .db.transaction()
          .execute((tx) => cancelComeBack(tx, threadId)),
    },
  }
}

function refuseMoreStreams(most: number): never {
  throw problem(
    'too-many-requests',
    `You have ${most} streams open. Close some, or wait a moment for closed ones to be noticed.`,
    { headers: { 'retry-after': '15' } },
  )
}
