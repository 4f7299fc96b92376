import { endpoint } from '../../http/endpoint.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { recordAudit } from '../audit-log/record-audit.ts'
import { meShape, setupBody, setupStateShape, signInBody } from '../contract.ts'
import { clearSessionCookie, readSessionCookie } from '../signing-in/session-cookie.ts'
import { signIn } from '../signing-in/sign-in.ts'
import { actorOf } from '../signing-in/start-session.ts'
import { findProvider } from '../store/oidc.ts'
import { removeSessionByToken } from '../store/sessions.ts'
import { adminExists, findUser } from '../store/users.ts'
import { createFirstAdmin } from '../users/create-first-admin.ts'
import { answerSignedIn, visitOf } from './answer-signed-in.ts'

type Context = { db: Db; vault: Vault; publicUrl: string; now: () => Date }

const define = endpoint<Context>()

export const readSetup = define({
  summary: 'Whether the first admin exists, and how people can sign in',
  returns: setupStateShape,
  answer: async ({ db }) => ({
    needed: !(await adminExists(db)),
    oidc: (await findProvider(db))?.name ?? null,
  }),
})

export const setUp = define({
  summary: 'Create the first admin with the one-time link, and sign in',
  body: setupBody,
  returns: meShape,
  problems: ['setup-done', 'link-expired', 'email-taken', 'name-taken'],
  answer: async (ctx, request) =>
    answerSignedIn(ctx, request.raw, await createFirstAdmin(ctx, request.body, visitOf(request))),
})

export const openSession = define({
  summary: 'Sign in with email and password',
  body: signInBody,
  returns: meShape,
  problems: ['sign-in-failed', 'second-factor-required', 'too-many-requests'],
  answer: async (ctx, request) =>
    answerSignedIn(ctx, request.raw, await signIn(ctx, request.body, visitOf(request))),
})

export const closeSession = define({
  summary: 'Sign out',
  async answer(ctx, { raw, source }) {
    const token = readSessionCookie(ctx, raw)
    const userId = token === null ? null : await removeSessionByToken(ctx.db, token)
    const user = userId === null ? null : await findUser(ctx.db, userId)
    if (user) await recordAudit(ctx.db, { actor: actorOf(user), action: 'session.ended', source })
    return new Response(null, { status: 204, headers: { 'set-cookie': clearSessionCookie(ctx) } })
  },
})
