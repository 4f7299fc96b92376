import type { RawBuilder } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import type { ChannelId, ConnectorId, EventId, RunId, WebhookId } from './ids.ts'

/**
 * What the slice `runs` needs to know and change about events and webhooks. The slice `webhooks` implements it;
 * src/app.ts connects the two.
 */
export type Events = {
  findTrigger(eventId: EventId): Promise<Trigger | null>
  findModel(webhookId: WebhookId): Promise<OwnModel | null>
  /** Called when the event's run has ended. An event that is already settled stays as it is. */
  settle(tx: Db, eventId: EventId, outcome: 'done' | 'failed'): Promise<void>
  /** The same as part of the caller's statement, so that a run and its event end in one round trip. */
  settleEventSql(eventId: RawBuilder<unknown>, outcome: 'done' | 'failed'): RawBuilder<unknown>
  /** To be called after `settling`: wakes the dispatcher. */
  notifyEventSettled(db: Db, eventId: EventId): Promise<void>
  /** Called when the run starts or stops waiting for people. A parked event does not count against the concurrency limit. */
  park(tx: Db, eventId: EventId, parked: boolean): Promise<void>
  /**
   * The webhook has spent its budget: none of its runs starts any more, and this event waits again. Returns the time
   * of the pause, or null if the webhook is deleted.
   */
  pauseWebhook(tx: Db, webhookId: WebhookId, eventId: EventId, reason: string): Promise<Date | null>
  /** Wakes the dispatcher: events that waited may start now. */
  wakeDispatcher(tx: Db): Promise<void>
  /** `webhook_ids (id)`, for a `with recursive`: the webhooks that have waiting events, one index probe each. The last row is null. */
  webhooksThatWait: RawBuilder<unknown>
}

/** A webhook's own model, used instead of the one in the settings. */
export type OwnModel = { provider: string; name: string }

/** What the runs of a webhook may use. */
export type Scope = {
  ceiling: 'read' | 'write' | 'destructive'
  /** The webhook's own list, else its channel's; null means every connector. */
  connectorIds: ConnectorId[] | null
}

/** An event and its webhook as they are now: what a run starts from. */
export type Trigger = {
  webhook: Scope & {
    id: WebhookId
    name: string
    prompt: string
    channelId: ChannelId
    /** Null on chat platforms, where people outside choose the names: that text is not trusted. */
    channelName: string | null
    allowSilence: boolean
    model: OwnModel | null
    runsPerHour: number | null
    costPerDay: number | null
  }
  event: {
    id: EventId
    runId: RunId
    /** Exactly the text that arrived, or the JSON from a form field; null once erased. */
    body: string | null
    headers: Record<string, string>
    contentType: string | null
    receivedAt: Date
    isTest: boolean
  }
}
