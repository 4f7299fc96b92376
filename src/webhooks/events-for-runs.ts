import type { Events } from '../events.ts'
import type { Db } from '../platform/db/database.ts'
import { findModel } from './find-model.ts'
import { findTrigger } from './find-trigger.ts'
import { pauseWebhook } from './pause-webhook.ts'
import { webhooksThatWait } from './store/events.ts'
import {
  moveEvent,
  movingEvent,
  notifyEventSettled,
  notifyEventsWaiting,
  parkEvent,
} from './store/move-events.ts'

/** Implements what the slice `runs` needs from events. */
export function eventsForRuns(db: Db): Events {
  return {
    findTrigger: (eventId) => findTrigger(db, eventId),
    findModel: (webhookId) => findModel(db, webhookId),
    settle: async (tx, eventId, outcome) => void (await moveEvent(tx, eventId, outcome)),
    settling: movingEvent,
    saySettled: notifyEventSettled,
    park: parkEvent,
    pauseWebhook,
    sayWaiting: notifyEventsWaiting,
    webhooksThatWait,
  }
}
