import pg from 'pg'
import { asError } from '../as-error.ts'
import { connectTimeoutMs } from './database.ts'

/** Messages between processes on one database: "webhook hook_1 changed", "channel chan_1 has a message". */
export type Notifications = AsyncDisposable & {
  /** `listener` also runs with `null` after a lost connection: something may have been missed, so drop what you cached. */
  listen(channel: string, listener: (payload: string | null) => void): Promise<() => void>
}

type Options = {
  connection: pg.ClientConfig
  onError(error: Error): void
  retryMs?: number
  /** How often the connection is checked, and how long the check may take. */
  heartbeatMs?: number
}

/** One connection for all LISTENs of the process; it reconnects by itself. */
export async function openNotifications({
  connection,
  onError,
  retryMs = 500,
  heartbeatMs = 10_000,
}: Options): Promise<Notifications> {
  const listeners = new Map<string, Set<(payload: string | null) => void>>()
  let client: pg.Client | null = null
  let closed = false
  let retry: NodeJS.Timeout | undefined

  async function connect(): Promise<void> {
    const fresh = new pg.Client({
      ...connection,
      application_name: 'bellhop notifications',
      keepAlive: true,
      connectionTimeoutMillis: connectTimeoutMs(connection),
    })
    fresh.on('error', onError)
    fresh.on('notification', ({ channel, payload }) => {
      for (const listener of listeners.get(channel) ?? []) listener(payload ?? '')
    })
    fresh.on('end', () => {
      // If it failed before it listened, the call that opened it reports that.
      if (client !== fresh) return
      client = null
      if (!closed) reconnectLater()
    })
    try {
      await fresh.connect()
      for (const channel of listeners.keys()) await fresh.query(`listen ${pg.escapeIdentifier(channel)}`)
    } catch (error) {
      // A standby accepts connections but refuses LISTEN: unless closed, they would pile up until it accepts no more.
      void fresh.end()
      throw error
    }
    client = fresh
  }

  function reconnectLater(): void {
    clearTimeout(retry)
    retry = setTimeout(async () => {
      try {
        await connect()
        if (closed) return void (await client?.end())
        for (const group of listeners.values()) for (const listener of group) listener(null)
      } catch (error) {
        onError(asError(error))
        if (!closed) reconnectLater()
      }
    }, retryMs)
  }

  /** A connection whose other side has disappeared receives nothing, and notices only when it sends something. */
  async function checkAlive(): Promise<void> {
    const asked = client
    if (!asked) return
    const silent = setTimeout(() => void asked.end().catch(onError), heartbeatMs / 2)
    // A failed connection ends, and its end triggers a reconnect.
    await asked.query('select 1').catch(() => undefined)
    clearTimeout(silent)
  }

  await connect()
  const heartbeat = setInterval(checkAlive, heartbeatMs)
  return {
    async listen(channel, listener) {
      const known = listeners.get(channel)
      if (known) {
        known.add(listener)
      } else {
        listeners.set(channel, new Set([listener]))
        await client?.query(`listen ${pg.escapeIdentifier(channel)}`)
      }
      return () => void listeners.get(channel)?.delete(listener)
    },
    async [Symbol.asyncDispose]() {
      closed = true
      clearInterval(heartbeat)
      clearTimeout(retry)
      await client?.end()
    },
  }
}
