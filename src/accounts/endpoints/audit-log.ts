import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { pageQuery, searchText, searchTime, toPage } from '../../http/paging.ts'
import type { Db } from '../../platform/db/database.ts'
import { auditPage } from '../contract.ts'
import { listAuditRecords } from '../store/audit-log.ts'

type Context = { db: Db }

const define = endpoint<Context>()

export const listAuditLog = define({
  summary: 'List the audit log, newest first',
  query: pageQuery.extend({
    /** Words in any part of an entry: what was done, to what, by whom. A page may hold few or none and still have a next one. */
    q: searchText,
    /** `webhook.created`, or `webhook` for everything that happened to webhooks. */
    action: z.string().max(100).optional(),
    actorId: z.string().max(100).optional(),
    subject: z.string().max(100).optional(),
    since: searchTime,
    until: searchTime,
  }),
  returns: auditPage,
  async answer({ db }, { query }) {
    const { records, searchedTo } = await listAuditRecords(db, query)
    const page = toPage(records, query.limit, searchedTo)
    return searchedTo ? { ...page, searchedBackTo: searchedTo.at.toISOString() } : page
  },
})
