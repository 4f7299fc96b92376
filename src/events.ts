import type { RawBuilder } from 'kysely'
import type { ChannelId, ConnectorId, EventId, RunId, WebhookId } from './ids.ts'
import type { Db } from './platform/db/database.ts'

/** What runs asks of the events it works on, and of their webhooks. The slice webhooks answers; src/app.ts brings both together. */
export type Events = {
  readTrigger(eventId: EventId): Promise<Trigger | null>
  findModel(webhookId: WebhookId): Promise<OwnModel | null>
  /** Its run has ended. An event that was settled before stays as it is. */
  settle(tx: Db, eventId: EventId, outcome: 'done' | 'failed'): Promise<void>
  /** The same as a part of somebody else's statement: the end of a run and of its event are one round trip. */
  settling(eventId: RawBuilder<unknown>, outcome: 'done' | 'failed'): RawBuilder<unknown>
  /** To be said after `settling`: others wait for it. */
  saySettled(db: Db, eventId: EventId): Promise<void>
  /** Its run waits for people (or works again): a parked event takes no place among those at work. */
  park(tx: Db, eventId: EventId, parked: boolean): Promise<void>
  /** The webhook spent its budget: no further run of it starts, and this event goes back to wait. Gives since when; null if it is deleted. */
  pauseWebhook(tx: Db, webhookId: WebhookId, eventId: EventId, reason: string): Promise<Date | null>
  /** Events that waited may start now. */
  sayWaiting(tx: Db): Promise<void>
  /** `webhook_ids (id)`, for a `with recursive`: the webhooks that have waiting events, one probe of an index each. The last row is null. */
  webhooksThatWait: RawBuilder<unknown>
}

/** A webhook's own model, in place of that of the settings. */
export type OwnModel = { provider: string; name: string }

/** What the runs of a webhook may use. */
export type Scope = {
  ceiling: 'read' | 'write' | 'destructive'
  /** Its own list, else that of its channel; null: every connector. */
  connectorIds: ConnectorId[] | null
}

/** An event and the webhook it came to, as they are now: what a run starts from. */
export type Trigger = {
  webhook: Scope & {
    id: WebhookId
    name: string
    prompt: string
    channelId: ChannelId
    /** Null on chat platforms, where others name their channels: that is text from outside. */
    channelName: string | null
    allowSilence: boolean
    model: OwnModel | null
    runsPerHour: number | null
    costPerDay: number | null
  }
  event: {
    id: EventId
    runId: RunId
    /** Exactly the text that came, or the JSON out of a form; null once it is erased. */
    body: string | null
    headers: Record<string, string>
    contentType: string | null
    receivedAt: Date
    isTest: boolean
  }
}
