import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import type { Channel } from '../../src/chat/contract.ts'
import { general } from '../support/start-shop.ts'
import { testApiKey } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { type Order, outsideTools, type startOutside } from './start-outside.ts'

const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`
const signer = new Webhook(secret)

/** No answer, accepted, unavailable; and 408 if the service was suspended during the request. */
const expected = new Set([0, 200, 503, 408])

type Outside = Awaited<ReturnType<typeof startOutside>>
type Delivery = { order: Order; statuses: number[]; eventId: string | null }
type Hook = { id: string; endpointUrl: string }

type Options = {
  outside: Outside
  /** Bellhop's current address, which may change at a restart. */
  url: () => string
  perSecond: number
}

/** Senders that sign, send, and retry whatever was not answered with 200; and the final count. */
export async function startStorm({ outside, url, perSecond }: Options) {
  const api = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${url()}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${testApiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T // the shapes of the contract, which the caller names
  }
  await api('POST', '/connectors', {
    type: 'http',
    name: 'Shop',
    baseUrl: outside.shop.origin,
    authType: 'none',
    tools: outsideTools,
  })
  await api('POST', '/workspaces', outside.connection)
  const { items } = await api<{ items: Channel[] }>('GET', '/channels')
  const ops = items.find(({ externalId }) => externalId === 'opsopsopsops')
  assert.ok(ops)
  const hook = (name: string, channelId: string) =>
    api<Hook>('POST', '/webhooks', {
      name,
      channelId,
      prompt: 'Do what the order says.',
      rateLimit: null,
      concurrency: 32,
      verification: { preset: 'standard_webhooks', secrets: [secret] },
    })
  const hooks = [await hook('House', general), await hook('Chat', ops.id)] as const

  const deliveries: Delivery[] = []
  const sending = new Set<Promise<void>>()
  let isOver = false
  let isGivenUp = false

  async function deliver(delivery: Delivery): Promise<void> {
    const { order } = delivery
    const body = JSON.stringify(order)
    const id = `msg_${order.number}`
    const path = new URL(hooks[order.number % 10 === 0 ? 1 : 0].endpointUrl).pathname
    for (let pauseMs = 200; !isGivenUp; pauseMs = Math.min(pauseMs * 2, 2_000)) {
      const at = new Date()
      const headers = {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': signer.sign(id, at, body),
      }
      const seen = await fetch(url() + path, { method: 'POST', body, headers }).then(
        async (answer) => ({ status: answer.status, eventId: readEventId(await answer.text()) }),
        () => ({ status: 0, eventId: null }), // no answer at all: the sender knows nothing
      )
      delivery.statuses.push(seen.status)
      if (seen.status === 200) {
        delivery.eventId = seen.eventId
        return
      }
      await pause(pauseMs)
    }
  }

  function send(kind: Order['kind']): void {
    const delivery: Delivery = { order: { number: deliveries.length, kind }, statuses: [], eventId: null }
    deliveries.push(delivery)
    const done = deliver(delivery).finally(() => sending.delete(done))
    sending.add(done)
  }

  async function blow(): Promise<void> {
    const begun = performance.now()
    for (let sent = 0; !isOver; await pause(20)) {
      const due = ((performance.now() - begun) / 1000) * perSecond
      for (; sent < due; sent++) {
        const turn = sent % 20
        send(turn === 0 ? 'ask' : turn < 6 ? 'write' : turn < 12 ? 'read' : 'talk')
      }
    }
  }
  const blowing = blow()

  return {
    api,
    async [Symbol.asyncDispose]() {
      isOver = true
      isGivenUp = true
      await Promise.all([blowing, ...sending])
    },
    /** No new deliveries; those in progress are retried until they are accepted. */
    async calm(): Promise<void> {
      isOver = true
      await blowing
      await until(() => sending.size === 0, 120_000).catch(() => {
        const unsent = deliveries.filter(({ eventId }) => eventId === null)
        throw new Error(`Not in yet: ${JSON.stringify(unsent.slice(0, 5))} and ${unsent.length - 5} more`)
      })
    },
    /** Approves whatever waits, until every run has ended. */
    async settle(db: pg.ClientConfig, limitMs = 180_000): Promise<void> {
      await using client = await connect(db)
      await until(async () => {
        for (const { id } of (
          await api<{ items: { id: string }[] }>('GET', '/approvals?status=pending&limit=100')
        ).items) {
          await api('POST', `/approvals/${id}/approve`, {})
        }
        const { rows } = await client.query(
          `select (select count(*)::int from events where status in ('accepted', 'dispatched')) as events,
                  (select count(*)::int from jobs.job
                   where state < 'completed' and name not in ('dead-letters', 'approval.remind')) as jobs`,
        )
        return rows[0].events === 0 && rows[0].jobs === 0
      }, limitMs)
    },
    /** Counts the results from the database and the external systems. */
    async count(db: pg.ClientConfig) {
      await using client = await connect(db)
      const faults: string[] = []
      const one = async (text: string): Promise<number> => (await client.query(text)).rows[0].count
      const { rows: events } = await client.query<{
        id: string
        deliveryId: string
        status: string
        runId: string
        runs: number
        run: string
        replies: number
        unknown: number
        unsent: number
        error: string | null
      }>(`
        select e.id, e.delivery_id as "deliveryId", e.status, e.run_id as "runId",
               (select count(*)::int from runs r where r.event_id = e.id) as runs,
               (select min(r.status) from runs r where r.event_id = e.id) as run,
               (select min(r.error_code) from runs r where r.event_id = e.id) as error,
               (select count(*)::int from messages m where m.run_id = e.run_id and m.card is null) as replies,
               (select count(*)::int from tool_calls c where c.run_id = e.run_id and c.error_code = 'outcome_unknown') as unknown,
               (select count(*)::int from tool_calls c where c.run_id = e.run_id and c.error_code = 'connection_failed') as unsent
        from events e`)
      const byDelivery = Map.groupBy(events, ({ deliveryId }) => deliveryId)
      const writes = outside.writes()
      const posts = Map.groupBy(
        outside.chat.ours(),
        ({ message }) => /Order (\d+) is done/.exec(message)?.[1],
      )
      for (const { order, eventId, statuses } of deliveries) {
        const name = `order ${order.number} (${order.kind})`
        const kept = byDelivery.get(`msg_${order.number}`) ?? []
        const [event] = kept
        if (kept.length !== 1 || !event) faults.push(`${name} is kept ${kept.length} times`)
        else {
          if (event.id !== eventId) faults.push(`${name} was answered with ${eventId} and is ${event.id}`)
          if (event.runs !== 1) faults.push(`${name} has ${event.runs} runs`)
          if (event.status !== 'done' || event.run !== 'succeeded')
            faults.push(`${name}: event ${event.status}, run ${event.run} ${event.error}`)
          if (event.replies !== 1) faults.push(`${name} has ${event.replies} replies`)
        }
        const posted = posts.get(String(order.number))?.length ?? 0
        if (order.number % 10 === 0 && posted !== 1) faults.push(`${name} was posted ${posted} times`)
        const written = writes.get(order.number) ?? 0
        const wanted = order.kind === 'write' || order.kind === 'ask' ? 1 : 0
        // The agent was told. A process that is frozen while it connects gives the connection up, and has sent nothing.
        const isTold = event?.unknown === 1 || event?.unsent === 1
        if (written > wanted || (written < wanted && !isTold))
          faults.push(`${name} was written ${written} times`)
        const odd = statuses.filter((status) => !expected.has(status))
        if (odd.length > 0) faults.push(`${name} was answered ${odd}`)
      }
      if (events.length !== deliveries.length)
        faults.push(`${events.length} events of ${deliveries.length} deliveries`)
      const statuses = deliveries.flatMap((delivery) => delivery.statuses)
      return {
        faults,
        figures: {
          events: events.length,
          unavailable: statuses.filter((status) => status === 503).length,
          unanswered: statuses.filter((status) => status === 0).length,
          unknownWrites: events.reduce((sum, { unknown }) => sum + unknown, 0),
          failedJobs: await one(`select count(*)::int from jobs.job where state = 'failed'`),
        },
      }
    },
  }
}

/** What the server refuses before it is read has no body. */
function readEventId(text: string): string | null {
  const { eventId = null } = JSON.parse(text || '{}') as { eventId?: string } // the contract of the ingress
  return eventId
}

async function connect(config: pg.ClientConfig): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client(config)
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}
