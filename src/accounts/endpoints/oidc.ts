import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { Problem, type ProblemType } from '../../http/problems.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import { type Db, isUnavailable } from '../../platform/db/database.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { basePathOf } from '../../platform/http-server/base-path.ts'
import type { Log } from '../../platform/log.ts'
import {
  configureOidcBody,
  meShape,
  oidcProviderShape,
  oidcStateShape,
  totpConfirmBody,
} from '../contract.ts'
import { mcpResource } from '../oidc/access-token.ts'
import { beginSignIn, requireProvider } from '../oidc/begin-sign-in.ts'
import { configureProvider, forgetProvider, toProvider } from '../oidc/configure-provider.ts'
import { redirectUri } from '../oidc/discover-provider.ts'
import { finishSignIn } from '../oidc/finish-sign-in.ts'
import { clearAttempt, openAttempt } from '../oidc/oidc-attempt.ts'
import { clearSecondStep, finishSecondStep, sealSecondStep } from '../oidc/second-step.ts'
import { localRedirect } from '../signing-in/local-redirect.ts'
import { findProvider } from '../store/oidc.ts'
import type { UserRow } from '../store/users.ts'
import { answerSignedIn, visitOf } from './answer-signed-in.ts'

type Context = { db: Db; vault: Vault; egress: Egress; log: Log; publicUrl: string; now: () => Date }

const define = endpoint<Context>()

const place = z
  .string()
  .max(2000)
  .transform((to, check) => {
    const own = localRedirect(to)
    if (own !== null) return own
    check.addIssue('must be a path of this dashboard')
    return z.NEVER
  })

export const readOidc = define({
  summary: 'Get the OpenID Connect provider and the redirect URL to register there',
  returns: oidcStateShape,
  async answer(ctx) {
    const provider = await findProvider(ctx.db)
    return { provider: provider ? toProvider(provider) : null, redirectUri: redirectUri(ctx) }
  },
})

export const putOidc = define({
  summary: 'Let people sign in through an OpenID Connect provider',
  body: configureOidcBody,
  returns: oidcProviderShape,
  problems: ['address-not-allowed', 'invalid-input'],
  answer: (ctx, { caller, body }) => configureProvider(ctx, caller, body),
})

export const dropOidc = define({
  summary: 'Remove the OpenID Connect provider; people sign in with email and password',
  answer: (ctx, { caller }) => forgetProvider(ctx, caller),
})

export const startOidc = define({
  summary: 'Start sign-in with the OpenID Connect provider (open in a browser)',
  query: z.object({ to: place.default('/') }),
  status: 302,
  async answer(ctx, { query, source }) {
    const begun = await beginSignIn(ctx, query.to, source).catch(becauseOf)
    if (typeof begun === 'string') return signInAgain(ctx, begun, query.to)
    return new Response(null, { status: 302, headers: { location: begun.url, 'set-cookie': begun.cookie } })
  },
})

export const finishOidc = define({
  summary: 'Callback of the OpenID Connect provider',
  status: 302,
  async answer(ctx, request) {
    const attempt = openAttempt(ctx, request.raw)
    const to = attempt?.to ?? '/'
    const entry = await finishSignIn(ctx, request.raw, attempt, visitOf(request)).catch(becauseOf)
    const answer =
      typeof entry === 'string'
        ? signInAgain(ctx, entry, to)
        : 'needsCodeOf' in entry
          ? askForCode(ctx, entry.needsCodeOf, to)
          : redirected(ctx, await answerSignedIn(ctx, request.raw, entry), to)
    answer.headers.append('set-cookie', clearAttempt(ctx))
    return answer
  },
})

export const finishOidcWithCode = define({
  summary: 'Send the code of the second factor, after the OpenID Connect provider',
  body: totpConfirmBody,
  returns: meShape,
  problems: ['sign-in-failed', 'second-factor-required', 'too-many-requests'],
  async answer(ctx, request) {
    const entry = await finishSecondStep(ctx, request.raw, request.body.code, visitOf(request))
    const answer = await answerSignedIn(ctx, request.raw, entry)
    answer.headers.append('set-cookie', clearSecondStep(ctx))
    return answer
  },
})

export const protectedResource = define({
  summary: 'How MCP clients get a token for /mcp (RFC 9728); only with an OpenID Connect provider',
  // The standard has its own names for the fields.
  mediaType: 'application/json',
  problems: ['not-found'],
  async answer(ctx) {
    const { issuer } = await requireProvider(ctx)
    return Response.json({
      resource: mcpResource(ctx),
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      resource_name: 'Bellhop',
    })
  },
})

/** A person sees the result in a browser, so every failure becomes a reason to show instead of JSON. */
function becauseOf(error: unknown): ProblemType {
  if (error instanceof Problem) return error.type
  if (isUnavailable(error)) return 'unavailable'
  throw error
}

/** Back to the sign-in page, which shows the reason and remembers where the person wanted to go. */
function signInAgain(ctx: Context, refused: string, to: string): Response {
  const query = new URLSearchParams({ refused, ...(to === '/' ? {} : { to }) })
  return redirected(ctx, new Response(null), `/sign-in?${query}`)
}

function askForCode(ctx: Context, user: UserRow, to: string): Response {
  const query = new URLSearchParams({ step: 'code', ...(to === '/' ? {} : { to }) })
  const answer = redirected(ctx, new Response(null), `/sign-in?${query}`)
  answer.headers.append('set-cookie', sealSecondStep(ctx, user))
  return answer
}

function redirected({ publicUrl }: Context, answer: Response, to: string): Response {
  const headers = new Headers({ location: basePathOf(publicUrl) + to })
  for (const cookie of answer.headers.getSetCookie()) headers.append('set-cookie', cookie)
  return new Response(null, { status: 302, headers })
}
