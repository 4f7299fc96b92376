import type { Db } from '../../platform/db/database.ts'
import type { Me } from '../contract.ts'
import { readSessionCookie, writeSessionCookie } from '../signing-in/session-cookie.ts'
import type { NewSession } from '../signing-in/start-session.ts'
import { removeSessionByToken, type Visit } from '../store/sessions.ts'
import type { UserRow } from '../store/users.ts'

type Context = { db: Db; publicUrl: string }

export function visitOf({ raw, source }: { raw: Request; source: string }): Visit {
  return { source, userAgent: raw.headers.get('user-agent') }
}

export function meOf(user: UserRow): Me {
  return {
    kind: 'user',
    id: user.id,
    name: user.name,
    role: user.role,
    email: user.email,
    hasPassword: user.passwordHash !== null,
    totp: user.totpConfirmedAt !== null,
    locale: user.locale,
  }
}

/** Sets the cookie of a new session. The browser's previous session ends, whoever it belonged to. */
export async function answerSignedIn(
  ctx: Context,
  request: Request,
  entry: NewSession,
  body: unknown = meOf(entry.user),
): Promise<Response> {
  const former = readSessionCookie(ctx, request)
  if (former !== null) await removeSessionByToken(ctx.db, former)
  return Response.json(body, { headers: { 'set-cookie': writeSessionCookie(ctx, entry.token) } })
}
