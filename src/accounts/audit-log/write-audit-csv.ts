import type { Db } from '../../platform/db/database.ts'
import { csvCell } from '../../shared/csv-cell.ts'
import type { AuditRecord } from '../contract.ts'
import { listAuditRecords } from '../store/audit-log.ts'

type Filter = Omit<Parameters<typeof listAuditRecords>[1], 'limit' | 'cursor'>

const columns: [name: string, value: (entry: AuditRecord) => string | null][] = [
  ['time', ({ at }) => at],
  ['entry', ({ sentence }) => sentence],
  ['who', ({ actor }) => actor.name],
  ['who_id', ({ actor }) => actor.id],
  ['action', ({ action }) => action],
  ['object', ({ subjectName }) => subjectName],
  ['object_id', ({ subject }) => subject],
  ['from_address', ({ source }) => source],
  ['details', ({ detail }) => (detail === null ? null : JSON.stringify(detail))],
  ['id', ({ id }) => id],
]

const atOnce = 500

/** RFC 4180, page by page: a log of years is never in memory. */
export async function* writeAuditCsv(db: Db, filter: Filter): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  yield encoder.encode(`${columns.map(([name]) => name).join(',')}\r\n`)
  let cursor: string | undefined
  do {
    const { records, searchedTo } = await listAuditRecords(db, {
      ...filter,
      limit: atOnce,
      ...(cursor && { cursor }),
    })
    const page = records.slice(0, atOnce)
    if (page.length > 0) yield encoder.encode(page.map(rowOf).join(''))
    cursor = records.length > atOnce ? page.at(-1)?.id : searchedTo?.id
  } while (cursor !== undefined)
}

function rowOf(entry: AuditRecord): string {
  return `${columns.map(([, value]) => csvCell(value(entry) ?? '')).join(',')}\r\n`
}
