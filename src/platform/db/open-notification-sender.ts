import type pg from 'pg'

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
