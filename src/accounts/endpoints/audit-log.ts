import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { pageQuery, searchText, searchTime, toPage } from '../../http/paging.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Statements } from '../../shared/ports/statements.ts'
import { type AuditHead, verifyAuditLog } from '../audit-log/verify-audit-log.ts'
import { writeAuditCsv } from '../audit-log/write-audit-csv.ts'
import { auditFilters, auditPage, auditVerificationShape } from '../contract.ts'
import { listAuditFilters as findFilters, listAuditRecords } from '../store/audit-log.ts'

type Context = { db: Db; statements: Statements }

const define = endpoint<Context>()

const filters = z.object({
  /** Words in any part of an entry: what was done, to what, by whom. A page may hold few or none and still have a next one. */
  q: searchText,
  /** `webhook.created`, or `webhook` for everything that happened to webhooks. */
  action: z.string().max(100).optional(),
  actorId: z.string().max(100).optional(),
  subject: z.string().max(100).optional(),
  since: searchTime,
  until: searchTime,
})

export const listAuditLog = define({
  summary: 'List the audit log, newest first',
  query: pageQuery.extend(filters.shape),
  returns: auditPage,
  async answer({ db }, { query }) {
    const { records, searchedTo } = await listAuditRecords(db, query)
    const page = toPage(records, query.limit, searchedTo)
    return searchedTo ? { ...page, searchedBackTo: searchedTo.at.toISOString() } : page
  },
})

export const listAuditFilters = define({
  summary: 'List who and which actions are in the audit log, to filter by',
  returns: auditFilters,
  answer: ({ db }) => findFilters(db),
})

export const downloadAuditLog = define({
  summary: 'Download the audit log as CSV, newest first; the filters are those of the list',
  query: filters,
  mediaType: 'text/csv',
  async answer({ db }, { query }) {
    return new Response(ReadableStream.from(writeAuditCsv(db, query)), {
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename="audit-log.csv"',
        'x-content-type-options': 'nosniff',
      },
    })
  },
})

export const verifyAudit = define({
  summary: 'Check that no entry of the audit log was edited, removed or inserted',
  returns: auditVerificationShape,
  answer: ({ db, statements }) =>
    verifyAuditLog(
      db,
      // Signed by us, so the statement has the shape that we gave.
      async (text) => (await statements.read('audit-head', text)) as AuditHead | null,
    ),
})
