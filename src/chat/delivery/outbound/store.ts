import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import type { ChannelId, MessageId } from '../../../shared/ids.ts'
import type { RetryAfter } from '../../chat.ts'

/** A part with the name of a `file` is sent as one. */
export type NewPart = { text: string; file: string | null }
export type PartRow = NewPart & { messageId: MessageId; part: number; externalId: string | null }

/** A part we hold as long as nobody else takes it: `takenAt` identifies our attempt. */
export type HeldPart = PartRow & { takenAt: Date }

/** An earlier attempt with an unknown outcome. */
export type Attempt = { at: Date; agoMs: number }

type Lease = { held: HeldPart; attempted: Attempt | null } | { held: null; until: RetryAfter }

/** A request that timed out may still arrive, so we wait this long before we search for its effect. */
export const settleMs = 2000

const afterMs = (ms: number) => sql`now() + ${ms} * interval '1 millisecond'`
const isPart = ({ messageId, part }: PartRow) => sql`message_id = ${messageId} and part = ${part}`
const isOurs = (held: HeldPart) => sql`${isPart(held)} and attempted_at = ${held.takenAt}`

/** `from`: the place of the first of them in the message. */
export async function insertParts(
  tx: Db,
  messageId: MessageId,
  parts: readonly NewPart[],
  from = 0,
): Promise<void> {
  for (const [place, { text, file }] of parts.entries()) {
    await sql`
      insert into message_parts (message_id, part, text, file) values (${messageId}, ${from + place}, ${text}, ${file})
      on conflict (message_id, part) do update set text = excluded.text, file = excluded.file`.execute(tx)
  }
}

export async function listParts(db: Db, messageId: MessageId): Promise<PartRow[]> {
  const { rows } = await sql<PartRow>`
    select message_id, part, text, file, external_id from message_parts
    where message_id = ${messageId} order by part`.execute(db)
  return rows
}

export async function isKnownPart(db: Db, externalId: string): Promise<boolean> {
  const { rows } = await sql`select from message_parts where external_id = ${externalId} limit 1`.execute(db)
  return rows.length > 0
}

/** The attempt is stored before the request is sent; nobody else sends this part meanwhile. */
export async function leasePart(db: Db, part: PartRow, leaseMs: number): Promise<Lease> {
  const { rows } = await sql<{ takenAt: Date; at: Date | null; agoMs: number }>`
    with before as (select attempted_at from message_parts where ${isPart(part)} for update)
    update message_parts set attempted_at = date_trunc('milliseconds', now()), leased_until = ${afterMs(leaseMs)}
    from before
    where ${isPart(part)} and external_id is null and (leased_until is null or leased_until <= now())
    returning message_parts.attempted_at as taken_at, before.attempted_at as at,
      extract(epoch from now() - before.attempted_at)::float8 * 1000 as ago_ms`.execute(db)
  const [taken] = rows
  if (taken) {
    const { takenAt, at, agoMs } = taken
    return { held: { ...part, takenAt }, attempted: at && { at, agoMs } }
  }
  const { rows: others } = await sql<{ until: Date | null }>`
    select leased_until as until from message_parts where ${isPart(part)}`.execute(db)
  return { held: null, until: others[0]?.until ?? 0 }
}

/** Whether something is being sent to the channel whose id on the platform is not known yet. */
export async function isPosting(db: Db, channelId: ChannelId): Promise<boolean> {
  const { rows } = await sql`
    select from message_parts p join messages m on m.id = p.message_id
    where p.leased_until > now() and p.external_id is null and m.channel_id = ${channelId} limit 1`.execute(
    db,
  )
  return rows.length > 0
}

/** False if another worker has taken it since. */
export async function renewPart(db: Db, held: HeldPart, leaseMs: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update message_parts set leased_until = ${afterMs(leaseMs)} where ${isOurs(held)}`.execute(db)
  return numAffectedRows === 1n
}

/** For when the processes that held parts are known to be gone. */
export async function endLeases(db: Db): Promise<void> {
  await sql`
    update message_parts set leased_until = least(leased_until, ${afterMs(settleMs)})
    where leased_until is not null`.execute(db)
}

export async function savePart(db: Db, part: PartRow, externalId: string): Promise<void> {
  await sql`
    update message_parts set external_id = ${externalId}, leased_until = null where ${isPart(part)}`.execute(
    db,
  )
}

/** Nothing was sent: restores what was known before the attempt. */
export async function releasePart(db: Db, held: HeldPart, attemptedAt: Date | null): Promise<void> {
  await sql`
    update message_parts set attempted_at = ${attemptedAt}, leased_until = null where ${isOurs(held)}`.execute(
    db,
  )
}

/** It may have been sent: a request in transit gets a moment to arrive before anybody searches. Null if another worker holds it now. */
export async function holdPart(db: Db, held: HeldPart, attemptedAt: Date | null): Promise<Date | null> {
  const { rows } = await sql<{ until: Date }>`
    update message_parts set attempted_at = coalesce(${attemptedAt}::timestamptz, attempted_at),
      leased_until = ${afterMs(settleMs)}
    where ${isOurs(held)} returning leased_until as until`.execute(db)
  return rows[0]?.until ?? null
}

/** A person has checked: what may have been sent counts as not sent. */
export async function forgetAttempts(db: Db, messageId: MessageId): Promise<void> {
  await sql`
    update message_parts set attempted_at = null, leased_until = null where message_id = ${messageId}`.execute(
    db,
  )
}
