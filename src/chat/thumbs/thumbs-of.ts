import { type RawBuilder, sql } from 'kysely'
import type { Thumb } from './contract.ts'

export type ThumbRow = Omit<Thumb, 'person'> & { personId: string; personName: string }

/** What people think of the reply of a run, for a `select`. The id must be qualified (`messages.run_id`). */
export function thumbsOf(runId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce((
    select json_agg(json_build_object('personId', t.person_id, 'personName', t.person_name, 'thumb', t.thumb, 'reason', t.reason,
      'note', t.note, 'at', t.rated_at) order by t.rated_at)
    from thumbs t where t.run_id = ${runId}), '[]')`
}

export function showThumb({ personId, personName, at, ...thumb }: ThumbRow): Thumb {
  return { ...thumb, person: { id: personId, name: personName }, at: new Date(at).toISOString() }
}
