import type { RawBuilder } from 'kysely'
import type { ChannelId, ConnectorId, EventId, RunId, WebhookId } from '../ids.ts'
import type { Db } from '../platform/db/database.ts'
import type { Capability } from './offered-tool.ts'

/** An event and the webhook it came to, as they are now. */
export type Trigger = {
  webhook: {
    id: WebhookId
    name: string
    prompt: string
    channelId: ChannelId
    channelName: string | null
    ceiling: Capability
    connectorIds: ConnectorId[] | null
    allowSilence: boolean
    /** Null is the model of the settings. */
    model: { provider: string; name: string } | null
    runsPerHour: number | null
    costPerDay: number | null
  }
  event: {
    id: EventId
    runId: RunId
    /** Exactly the bytes that came; null once they are erased. */
    body: Buffer | null
    headers: Record<string, string>
    contentType: string | null
    receivedAt: Date
    isTest: boolean
  }
}

/** What runs needs of the webhooks slice; src/app.ts passes it in. */
export type Inbox = {
  readTrigger(eventId: EventId): Promise<Trigger | null>
  /** The webhook's own model; null is that of the settings. */
  findModel(webhookId: WebhookId): Promise<Trigger['webhook']['model']>
  /** The same as a part of a statement; `eventId` is a subquery of it. */
  settlingEvent(eventId: RawBuilder<unknown>, outcome: 'done' | 'failed'): RawBuilder<unknown>
  /** To be said after `settlingEvent`: others wait for it. */
  saySettled(db: Db, eventId: EventId): Promise<void>
  settleEvent(tx: Db, eventId: EventId, outcome: 'done' | 'failed'): Promise<void>
  /** A run that waits for people takes no place among those at work. */
  parkEvent(tx: Db, eventId: EventId, parked: boolean): Promise<void>
  /** The webhook spent its budget: no further run of it starts, and this event goes back to wait. Since when; null if it is deleted. */
  pauseWebhook(tx: Db, webhookId: WebhookId, eventId: EventId, reason: string): Promise<Date | null>
}
