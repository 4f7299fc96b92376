import type { Db } from '../../platform/db/database.ts'
import type { Events } from '../../shared/events.ts'
import { findModel } from '../../webhooks/manage/find-model.ts'
import { pauseWebhook } from '../../webhooks/manage/pause-webhook.ts'
import { webhooksThatWait } from '../ledger/events.ts'
import { findTrigger } from './find-trigger.ts'
import { moveEvent, movingEvent, notifyEventSettled, notifyEventsWaiting, parkEvent } from './move-events.ts'

/** Implements what the slice `runs` needs from events. */
export function eventsForRuns(db: Db): Events {
  return {
    findTrigger: (eventId) => findTrigger(db, eventId),
    findModel: (webhookId) => findModel(db, webhookId),
    settle: async (tx, eventId, outcome) => void (await moveEvent(tx, eventId, outcome)),
    settleEventSql: movingEvent,
    notifyEventSettled: notifyEventSettled,
    park: parkEvent,
    pauseWebhook,
    wakeDispatcher: notifyEventsWaiting,
    webhooksThatWait,
  }
}
