import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Registry } from 'prom-client'
import { z } from 'zod'
import { sameSecret } from '../platform/crypto/same-secret.ts'
import type { Db } from '../platform/db/database.ts'
import { compareMigrations } from '../platform/db/migrate.ts'
import { isLoopback } from '../platform/http-server/is-loopback.ts'
import type { Secret } from '../platform/secret.ts'
import type { Lifecycle } from '../shared/lifecycle.ts'
import { endpoint } from './endpoint.ts'
import { problem } from './problems.ts'

type Context = {
  db: Db
  metrics: { registry: Registry }
  config: { metricsToken: Secret | null; role: 'all' | 'web' | 'worker' }
  store: { migrations: readonly string[] }
  lifecycle: Lifecycle
  /** Why every delivery is refused, or null. */
  webhooks: { fullBecause(): { says: string } | null }
}

const define = endpoint<Context>()

/** A connection that went silent is noticed much later than a load balancer waits for its answer. */
const maxWaitMs = 4_000

/** The process is alive. Says nothing about what it depends on. */
export const healthz = define({
  summary: 'Liveness: whether the process runs',
  returns: z.object({ status: z.literal('ok') }),
  answer: async () => ({ status: 'ok' as const }),
})

/** Database, migrations and room for events only: a model or a chat platform that is down must not take us out of a load balancer. */
export const readyz = define({
  summary: 'Readiness: whether requests can be served',
  returns: z.object({ status: z.literal('ready') }),
  problems: ['unavailable'],
  async answer({ db, store, lifecycle, webhooks, config }) {
    const notNow = (why: string) => problem('unavailable', why, { headers: { 'retry-after': '5' } })
    if (lifecycle.phase === 'starting') throw notNow('Bellhop is starting.')
    if (lifecycle.phase !== 'ready') throw notNow('Bellhop is stopping.')
    const full = config.role === 'worker' ? null : webhooks.fullBecause()
    if (full) throw notNow(`${full.says} Deliveries are refused.`)
    const why = await Promise.race([
      whyUnusable(db, store.migrations),
      pause(maxWaitMs, 'The database does not answer.', { ref: false }),
    ])
    if (why) throw notNow(why)
    return { status: 'ready' as const }
  },
})

async function whyUnusable(db: Db, migrations: readonly string[]): Promise<string | null> {
  const { pending, newer } = await compareMigrations(db, migrations)
  if (pending.length > 0) return `The database is missing ${pending.length} migrations.`
  // The tables may differ from what this version expects.
  if (newer.length > 0) return 'A newer version of Bellhop has changed the database. Upgrade this one, too.'
  // A read-only standby answers the reads above but refuses this lock, which locks no row.
  await sql`select from schema_migrations where false for update`.execute(db)
  return null
}

export const metrics = define({
  summary: 'Metrics for Prometheus',
  mediaType: 'text/plain',
  async answer(ctx, { raw, source }) {
    const { metricsToken } = ctx.config
    if (!metricsToken && !isLocal(raw, source)) {
      throw problem(
        'not-signed-in',
        'Without a token, metrics can only be read on this machine. Set METRICS_TOKEN, and send it as "Authorization: Bearer …".',
      )
    }
    const given = raw.headers.get('authorization')?.replace(/^Bearer /i, '') ?? ''
    if (metricsToken && !sameSecret(metricsToken.reveal(), given)) {
      throw problem('not-signed-in', 'Send METRICS_TOKEN as "Authorization: Bearer …".')
    }
    const { registry } = ctx.metrics
    return new Response(await registry.metrics(), { headers: { 'content-type': registry.contentType } })
  },
})

/** A reverse proxy on this machine is no local program: it passes on whom it speaks for, or the host that was asked for. */
function isLocal({ headers }: Request, source: string): boolean {
  const host = URL.parse(`http://${headers.get('host')}`)
  const isForwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'].some((name) => headers.has(name))
  return /^(127\.|::1$)/.test(source) && host !== null && isLoopback(host) && !isForwarded
}
