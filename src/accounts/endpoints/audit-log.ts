import { z } from 'zod'
import { endpoint } from '../../endpoint.ts'
import { pageOf, pageQuery, searchText, searchTime, toPage } from '../../paging.ts'
import type { Db } from '../../platform/db/database.ts'
import { auditEntryShape } from '../contract.ts'
import { listAuditRecords } from '../store/audit-log.ts'

type Context = { db: Db }

const define = endpoint<Context>()

export const readAuditLog = define({
  summary: 'Read what happened, newest first',
  query: pageQuery.extend({
    /** Words that an entry holds, whatever it tells: what was done, to what, by whom. */
    q: searchText,
    /** `webhook.created`, or `webhook` for everything that happened to webhooks. */
    action: z.string().max(100).optional(),
    actorId: z.string().max(100).optional(),
    subject: z.string().max(100).optional(),
    since: searchTime,
    until: searchTime,
  }),
  returns: pageOf(auditEntryShape),
  answer: async ({ db }, { query }) => toPage(await listAuditRecords(db, query), query.limit),
})
