import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import type { Log } from '../platform/log.ts'
import { repeat } from '../platform/repeat.ts'
import type { ReplicaId } from '../shared/ids.ts'

export type Replica = { id: ReplicaId; role: 'all' | 'web' | 'worker'; version: string }
type ReplicaRow = Replica & { startedAt: Date; seenAt: Date }

const everyMs = 5_000

/** Reports to the others that this process is alive, until disposed. By the database's clock, so that clocks need not agree. */
export function announceReplica(ctx: { db: Db; log: Log }, replica: Replica): AsyncDisposable {
  const turning = repeat('replicas.announce', everyMs, ctx.log, () => recordReplica(ctx.db, replica))
  return {
    async [Symbol.asyncDispose]() {
      await turning[Symbol.asyncDispose]()
      try {
        await sql`delete from replicas where id = ${replica.id}`.execute(ctx.db)
      } catch (error) {
        // If the database is down we cannot sign off; our row expires instead.
        ctx.log.debug({ err: error }, 'replicas.not_signed_off')
      }
    },
  }
}

async function recordReplica(db: Db, { id, role, version }: Replica): Promise<void> {
  await sql`
    with gone as (delete from replicas where seen_at < now() - interval '1 hour')
    insert into replicas (id, role, version) values (${id}, ${role}, ${version})
    on conflict (id) do update set seen_at = now()`.execute(db)
}

export async function listReplicas(db: Db): Promise<ReplicaRow[]> {
  const { rows } = await sql<ReplicaRow>`
    select id, role, version, started_at, seen_at from replicas
    where seen_at > now() - interval '30 seconds' order by started_at, id`.execute(db)
  return rows
}
