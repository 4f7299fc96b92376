import { sql } from 'kysely'
import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { migrationsFolder } from './open-store.ts'
import { sameSecret } from './platform/crypto/same-secret.ts'
import type { Db } from './platform/db/database.ts'
import { pendingMigrations } from './platform/db/migrate.ts'
import type { Metrics } from './platform/metrics.ts'
import type { Secret } from './platform/secret.ts'
import { problem } from './problems.ts'

type Context = { db: Db; metrics: Metrics; config: { metricsToken: Secret | null }; isStopping(): boolean }

const define = endpoint<Context>()

/** The process lives. Says nothing about what it depends on. */
export const healthz = define({
  summary: 'Whether the process lives',
  returns: z.object({ status: z.literal('ok') }),
  answer: async () => ({ status: 'ok' as const }),
})

/** Database and migrations only: a model or a chat platform that is down must not take us out of a load balancer. */
export const readyz = define({
  summary: 'Whether requests can be served',
  returns: z.object({ status: z.literal('ready') }),
  problems: ['unavailable'],
  async answer({ db, isStopping }) {
    if (isStopping())
      throw problem('unavailable', 'Bellhop is stopping.', { headers: { 'retry-after': '5' } })
    await sql`select 1`.execute(db)
    const pending = await pendingMigrations(db, migrationsFolder)
    if (pending.length > 0) {
      throw problem('unavailable', `The database lacks ${pending.length} migrations.`, {
        headers: { 'retry-after': '5' },
      })
    }
    return { status: 'ready' as const }
  },
})

export const metrics = define({
  summary: 'Numbers for Prometheus',
  async answer(ctx, { raw }) {
    const { metricsToken } = ctx.config
    const given = raw.headers.get('authorization')?.replace(/^Bearer /i, '') ?? ''
    if (metricsToken && !sameSecret(metricsToken.reveal(), given)) {
      throw problem('not-signed-in', 'Send METRICS_TOKEN as "Authorization: Bearer …".')
    }
    const { registry } = ctx.metrics
    return new Response(await registry.metrics(), { headers: { 'content-type': registry.contentType } })
  },
})
