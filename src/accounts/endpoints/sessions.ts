import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { idParam } from '../../http/id-param.ts'
import { pageOf, pageQuery, toPage } from '../../http/paging.ts'
import { problem } from '../../http/problems.ts'
import { hashToken } from '../../platform/crypto/token.ts'
import type { Db } from '../../platform/db/database.ts'
import { mayActAs } from '../../shared/actor.ts'
import { recordAudit } from '../audit-log/record-audit.ts'
import { sessionShape } from '../contract.ts'
import { readSessionCookie } from '../signing-in/session-cookie.ts'
import { listSessionRows, removeSession } from '../store/sessions.ts'
import { findUser } from '../store/users.ts'

type Context = { db: Db; publicUrl: string }

const define = endpoint<Context>()

export const listSessions = define({
  summary: 'List your sessions; an admin can list those of another user',
  query: pageQuery.extend({ userId: z.string().optional() }),
  returns: pageOf(sessionShape),
  async answer(ctx, { actor, query, raw }) {
    const userId = query.userId ?? actor.id
    if (userId !== actor.id && !mayActAs(actor, 'admin')) {
      throw problem('forbidden', 'Only an admin can list other people’s sessions.')
    }
    const token = readSessionCookie(ctx, raw)
    const current = token === null ? null : hashToken(token)
    const rows = await listSessionRows(ctx.db, userId, query)
    const sessions = rows.map(({ tokenHash, ...row }) => ({
      ...row,
      createdAt: row.createdAt.toISOString(),
      lastUsedAt: row.lastUsedAt.toISOString(),
      current: tokenHash === current,
    }))
    return toPage(sessions, query.limit)
  },
})

export const dropSession = define({
  summary: 'End one of your sessions; an admin can end anyone’s',
  params: z.object({ id: idParam('session') }),
  async answer({ db }, { actor, caller, params }) {
    const ownedBy = mayActAs(actor, 'admin') ? null : actor.id
    await db.transaction().execute(async (tx) => {
      const userId = await removeSession(tx, params.id, ownedBy)
      if (userId === null) throw problem('not-found', 'You have no session with this id.')
      await recordAudit(tx, {
        ...caller,
        action: 'session.revoked',
        subject: params.id,
        detail: { userId, name: (await findUser(tx, userId))?.name },
      })
    })
  },
})
