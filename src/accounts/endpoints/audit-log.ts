import { z } from 'zod'
import { endpoint } from '../../endpoint.ts'
import { pageOf, pageQuery, toPage } from '../../paging.ts'
import type { Db } from '../../platform/db/database.ts'
import { auditEntryShape } from '../contract.ts'
import { listAuditRecords } from '../store/audit-log.ts'

type Context = { db: Db }

const define = endpoint<Context>()

export const readAuditLog = define({
  summary: 'Read what happened, newest first',
  query: pageQuery.extend({
    /** `webhook.created`, or `webhook` for everything that happened to webhooks. */
    action: z.string().max(100).optional(),
    actorId: z.string().max(100).optional(),
    subject: z.string().max(100).optional(),
    since: z.iso.datetime({ offset: true, error: 'must be a time such as 2026-01-31T12:00:00Z' }).optional(),
    until: z.iso.datetime({ offset: true, error: 'must be a time such as 2026-01-31T12:00:00Z' }).optional(),
  }),
  returns: pageOf(auditEntryShape),
  async answer({ db }, { query }) {
    const { since, until, ...filter } = query
    const records = await listAuditRecords(db, {
      ...filter,
      // PostgreSQL reads fewer of the times that may be written than JavaScript does.
      since: since === undefined ? undefined : new Date(since),
      until: until === undefined ? undefined : new Date(until),
    })
    return toPage(records, query.limit)
  },
})
