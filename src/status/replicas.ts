import { sql } from 'kysely'
import type { Db } from '../platform/db/database.ts'
import type { Log } from '../platform/log.ts'
import { repeat } from '../platform/repeat.ts'
import type { ReplicaId } from '../shared/ids.ts'

export type Replica = { id: ReplicaId; role: 'all' | 'web' | 'worker'; version: string }
type ReplicaRow = Replica & { startedAt: Date; seenAt: Date }

const everyMs = 5_000

/**
 * Reports to the others that this process is alive, until disposed. By the database's clock, so that clocks need not agree. `isAlone`:
 * the database is ours alone, so that any other process that has not signed off is dead.
 */
export function announceReplica(
  ctx: { db: Db; log: Log },
  replica: Replica,
  { isAlone }: { isAlone: boolean },
): AsyncDisposable {
  const turning = repeat('replicas.announce', everyMs, ctx.log, async () => {
    const { lost, runs } = await recordReplica(ctx.db, replica, isAlone)
    if (lost > 0)
      ctx.log.warn({ processes: lost, runs, says: endedUncleanly(runs) }, 'process.ended_uncleanly')
  })
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

function endedUncleanly(runs: number): string {
  return `The last end was unclean: Bellhop was killed, crashed, or lost its machine or its database. ${runs === 1 ? '1 run goes' : `${runs} runs go`} on.`
}

/** Returns how many others have disappeared without signing off, each once, and the runs under way. */
async function recordReplica(
  db: Db,
  { id, role, version }: Replica,
  isAlone: boolean,
): Promise<{ lost: number; runs: number }> {
  // Whoever could not report either, because the database was away, judges nobody.
  const isLost = sql`${isAlone} or (seen_at < now() - interval '30 seconds' and exists (
    select from replicas own where own.id = ${id} and own.seen_at > now() - interval '15 seconds'))`
  const { rows } = await sql<{ lost: number; runs: number }>`
    with lost as (delete from replicas where id <> ${id} and (${isLost}) returning id), own as (
      insert into replicas (id, role, version) values (${id}, ${role}, ${version})
      on conflict (id) do update set seen_at = now())
    select (select count(*)::int from lost) as lost,
      (select count(*)::int from runs where status in ('queued', 'running') and exists (select from lost)) as runs`.execute(
    db,
  )
  // A select without a table returns one row.
  return rows[0]!
}

export async function listReplicas(db: Db): Promise<ReplicaRow[]> {
  const { rows } = await sql<ReplicaRow>`
    select id, role, version, started_at, seen_at from replicas
    where seen_at > now() - interval '30 seconds' order by started_at, id`.execute(db)
  return rows
}
