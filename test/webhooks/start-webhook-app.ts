import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/database.ts'
import type { Log } from '../../src/platform/log.ts'
import { startTestApp, type TestApp } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'

export type Delivered = {
  status: number
  headers: Headers
  body: {
    status?: string
    eventId?: string
    runId?: string
    type?: string
    detail?: string
    [name: string]: unknown
  }
}

type Made = { id: string; endpointUrl: string; [name: string]: unknown }

export type WebhookApp = AsyncDisposable & {
  test: TestApp
  db: Db
  channelId: string
  create(fields?: Record<string, unknown>): Promise<Made>
  post(url: string, body: string | Uint8Array, headers?: Record<string, string>): Promise<Delivered>
  /** Sends exactly these bytes over a new connection; returns everything received until it is closed. */
  raw(bytes: string | Uint8Array, options?: { end?: boolean }): Promise<string>
  events(query?: string): Promise<{ id: string; status: string; runId: string; deliveryId: string | null }[]>
}

/** A whole Bellhop with a channel, and helpers for what a sender does. `quiet` starts no runs. */
export async function startWebhookApp(
  options: {
    env?: Record<string, string>
    now?: () => Date
    databaseUrl?: string
    log?: Log
    quiet?: boolean
  } = {},
): Promise<WebhookApp> {
  const { quiet, ...rest } = options
  const test = await startTestApp({ ...rest, env: { ...(quiet ? { ROLE: 'web' } : {}), ...options.env } })
  const { db } = test.app.ctx
  const channel = await test.api<{ id: string }>('POST', '/api/v1/channels', {
    name: `c-${crypto.randomUUID()}`,
  })
  return {
    test,
    db,
    channelId: channel.body.id,
    async create(fields = {}) {
      const answer = await test.api<Made>('POST', '/api/v1/webhooks', {
        name: 'Test',
        channelId: channel.body.id,
        prompt: 'Say what came.',
        active: true,
        rateLimit: null,
        ...fields,
      })
      if (answer.status !== 201) throw new Error(`POST /webhooks answered ${answer.status}: ${answer.text}`)
      return answer.body
    },
    post,
    async raw(bytes, { end = false } = {}) {
      const socket = net.connect(Number(new URL(test.url).port), '127.0.0.1')
      await once(socket, 'connect')
      const chunks: Buffer[] = []
      socket.on('data', (chunk: Buffer) => chunks.push(chunk))
      socket.on('error', () => undefined)
      const closed = new Promise((resolve) => socket.once('close', resolve))
      if (end) socket.end(bytes)
      else socket.write(bytes)
      await closed
      return Buffer.concat(chunks).toString('latin1')
    },
    async events(query = '') {
      return (await test.get<{ items: Awaited<ReturnType<WebhookApp['events']>> }>(`/api/v1/events${query}`))
        .items
    },
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  }
}

export async function post(
  url: string,
  body: string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<Delivered> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    // A view of a Buffer is a fine body; the type of fetch wants one that owns its memory.
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })
  // Every answer of the ingress is JSON.
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Delivered['body'],
  }
}

/** How many events there are of these webhooks, which are a test's own. */
export async function countEvents(app: WebhookApp, ...webhookIds: string[]): Promise<number> {
  return await count(app.db, 'events', `source_id in (${webhookIds.map((id) => `'${id}'`).join()})`)
}

export async function count(db: Db, table: string, where = 'true'): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.raw(table)} where ${sql.raw(where)}`.execute(db)
  return rows[0]?.count ?? 0
}

type Progress = { id: string; status: string; run: string | null; problem: string | null; attempts: unknown }

/** Waits until all of these events are done, and says what became of the others: one that failed is never going to be done. */
export async function untilDone(db: Db, eventIds: readonly string[]): Promise<void> {
  let left: Progress[] = []
  const areDone = async () => {
    const { rows } = await sql<Progress>`
      select e.id, e.status, r.status as run, r.error_message as problem, r.model_attempts as attempts
      from events e left join runs r on r.id = e.run_id where e.id = any (${eventIds})`.execute(db)
    left = rows.filter(({ status }) => status !== 'done')
    const willBeDone = left.every(({ status }) => status === 'accepted' || status === 'dispatched')
    assert.ok(rows.length === eventIds.length && willBeDone, JSON.stringify(rows))
    return left.length === 0
  }
  await until(areDone).catch((cause: Error) => {
    throw new Error(`${cause.message}\nNot done: ${JSON.stringify(left)}`, { cause })
  })
}
