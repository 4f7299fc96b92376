import type { Db } from '../../platform/db/database.ts'
import type { Actor } from '../../shared/actor.ts'
import type { Authentication } from '../../shared/ports/authentication.ts'
import { type FindTokenOwner, openTokenOwners } from '../oidc/access-token.ts'
import { findApiKey, touchApiKey } from '../store/api-keys.ts'
import { findSignedIn, touchSession } from '../store/sessions.ts'
import { readAuthorization } from './read-authorization.ts'
import { readSessionCookie } from './session-cookie.ts'

type Context = Parameters<FindTokenOwner>[0]

export function openAuthentication(ctx: () => Context): Authentication {
  const findTokenOwner = openTokenOwners()
  return {
    findActor: (request, source) => authenticate(ctx(), findTokenOwner, request, source),
    sessionOf: (request) => readSessionCookie(ctx(), request),
  }
}

async function authenticate(
  ctx: Context,
  findTokenOwner: FindTokenOwner,
  request: Request,
  source: string,
): Promise<Actor | null> {
  const authorization = readAuthorization(request)
  // A request with an API key is judged by that key; a cookie beside it is ignored.
  if (authorization !== null)
    return (
      (await authenticateKey(ctx, authorization)) ??
      (await authenticateToken(ctx, findTokenOwner, authorization, request))
    )
  const token = readSessionCookie(ctx, request)
  if (token === null) return null
  const found = await findSignedIn(ctx.db, token)
  if (!found) return null
  if (found.stale) {
    await touchSession(ctx.db, found.sessionId, { source, userAgent: request.headers.get('user-agent') })
  }
  return { kind: 'user', id: found.id, name: found.name, role: found.role }
}

/** Tokens of the OpenID provider are for /mcp alone. */
async function authenticateToken(
  ctx: Context,
  findTokenOwner: FindTokenOwner,
  authorization: string,
  request: Request,
): Promise<Actor | null> {
  const token = authorization.match(/^Bearer +(?!blh_)(\S+)$/i)?.[1]
  if (!token || new URL(request.url).pathname !== '/mcp') return null
  return await findTokenOwner(ctx, token)
}

async function authenticateKey(ctx: { db: Db }, authorization: string): Promise<Actor | null> {
  const key = authorization.match(/^Bearer +(blh_[!-~]+)$/i)?.[1]
  if (!key) return null
  const found = await findApiKey(ctx.db, key)
  if (!found) return null
  if (found.stale) await touchApiKey(ctx.db, found.id)
  return { kind: 'api-key', id: found.id, name: found.name, role: found.role }
}
