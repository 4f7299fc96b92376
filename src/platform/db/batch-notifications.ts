import type pg from 'pg'

/** What changed since the last notification: ids by topic, or null if there are too many or no id was given. */
type Topics = Map<string, Set<string> | null>

export type NotificationBatches = Disposable & {
  add(channel: string, topic: string, id: string | null): void
}

/** At most four times a second, however much changes. */
const everyMs = 250
/** A PostgreSQL notification holds 8000 bytes: enough for this many ids in each of a dozen topics. */
const maxIds = 14

/**
 * Frequent notifications are collected in the process and sent together, so that a thousand changes a second cost as much as four.
 * A payload is JSON: `{"orders": ["o_1"], "parcels": null}`. What is collected is lost if the process dies.
 */
export function batchNotifications(send: (channel: string, payload: string) => void): NotificationBatches {
  let batches = new Map<string, Topics>()
  let timer: NodeJS.Timeout | undefined

  function sendAll(): void {
    timer = undefined
    for (const [channel, topics] of batches) {
      const ids = [...topics].map(([topic, ids]) => [topic, ids && [...ids]])
      send(channel, JSON.stringify(Object.fromEntries(ids)))
    }
    batches = new Map()
  }

  return {
    add(channel, topic, id) {
      const topics: Topics = batches.get(channel) ?? new Map()
      batches.set(channel, topics)
      const known = topics.get(topic)
      if (id === null) topics.set(topic, null)
      else if (known === undefined) topics.set(topic, new Set([id]))
      else if (known?.add(id) && known.size > maxIds) topics.set(topic, null)
      timer ??= setTimeout(sendAll, everyMs).unref()
    },
    [Symbol.dispose]() {
      clearTimeout(timer)
    },
  }
}

type Notification = { channel: string; payload: string }

export type NotificationSender = {
  /** Sent at once, or together with others when the previous ones are out. */
  send(notification: Notification): void
}

/** One statement at a time: what arrives while one runs is sent with the next, duplicates only once. */
export function openNotificationSender(pool: pg.Pool, onError: (error: Error) => void): NotificationSender {
  let waiting = new Map<string, Notification>()
  let isSending = false

  async function sendWaiting(): Promise<void> {
    isSending = true
    // What is passed synchronously is sent together.
    await null
    while (waiting.size > 0) {
      const notifications = [...waiting.values()]
      waiting = new Map()
      await pool
        .query(
          'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as sent (channel, payload)',
          [notifications.map(({ channel }) => channel), notifications.map(({ payload }) => payload)],
        )
        .catch(onError)
    }
    isSending = false
  }

  return {
    send(notification) {
      waiting.set(`${notification.channel}\n${notification.payload}`, notification)
      if (!isSending) void sendWaiting()
    },
  }
}
