import { sql } from 'kysely'
import { invalidField } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Approvers } from '../../shared/approver-fields.ts'

type Given = Partial<{ [Name in 'approvers' | 'escalate']: Approvers[Name] | null | undefined }>

/** A group that is named keeps existing: in a transaction, it cannot be deleted before the end. */
export async function refuseMissingGroups(db: Db, { approvers, escalate }: Given): Promise<void> {
  const named = [
    ...(approvers ?? []).map((id, at) => ({ id, pointer: `/approvers/${at}` })),
    ...(escalate ?? []).map(({ to }, at) => ({ id: to, pointer: `/escalate/${at}/to` })),
  ]
  if (named.length === 0) return
  const ids = named.map(({ id }) => id)
  const { rows } = await sql<{
    id: string
  }>`select id from groups where id = any(${ids}) for key share`.execute(db)
  const missing = named.find(({ id }) => !rows.some((row) => row.id === id))
  if (missing) throw invalidField(missing.pointer, 'There is no group with this id, or it was deleted.')
}
