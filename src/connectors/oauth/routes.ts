import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { idParam } from '../../http/id-param.ts'
import { problem } from '../../http/problems.ts'
import { basePathOf } from '../../platform/http-server/base-path.ts'
import type { Authentication } from '../../shared/ports/authentication.ts'
import { oauthPlanShape, startedOauthShape, startOauthShape } from '../auth/contract.ts'
import type { SaveContext } from '../manage/draft/save-draft.ts'
import type { Connectors } from '../open-connectors.ts'
import { clientDocumentUrl, clientMetadata } from './become-client.ts'
import { beginSignIn, planSignIn } from './begin-sign-in.ts'
import { disconnect } from './disconnect.ts'
import { finishSignIn } from './finish-sign-in.ts'

type Context = SaveContext & {
  publicUrl: string
  connectors: Pick<Connectors, 'recordHealth'>
  authentication: Authentication
}

const define = endpoint<Context>()
const oneConnector = z.object({ id: idParam('connector') })

export const discoverOauth = define({
  summary: 'Find out where somebody signs in for a connector, and with which scopes; nothing is stored',
  params: oneConnector,
  returns: oauthPlanShape,
  status: 200,
  problems: ['not-found', 'invalid-input', 'oauth-failed'],
  answer: (ctx, { params }) => planSignIn(ctx, params.id),
})

export const startOauth = define({
  summary: 'Begin to sign in for a connector; open the returned URL in the same browser',
  params: oneConnector,
  body: startOauthShape,
  returns: startedOauthShape,
  status: 200,
  problems: ['not-found', 'invalid-input', 'oauth-failed'],
  async answer(ctx, { params, body, raw }) {
    const session = ctx.authentication.sessionOf(raw)
    if (session === null)
      throw problem(
        'forbidden',
        'Sign in to the dashboard to connect it: an API key has no browser to return with.',
      )
    return await beginSignIn(ctx, params.id, body.issuer, session)
  },
})

export const finishOauth = define({
  summary: 'Callback of authorization servers',
  status: 302,
  async answer(ctx, { raw, source }) {
    const session = ctx.authentication.sessionOf(raw)
    const actor = session === null ? null : await ctx.authentication.findActor(raw, source)
    const visitor = session !== null && actor ? { session, caller: { actor, source } } : null
    const to = await finishSignIn(ctx, new URL(raw.url).searchParams, visitor)
    return new Response(null, { status: 302, headers: { location: basePathOf(ctx.publicUrl) + to } })
  },
})

export const disconnectOauth = define({
  summary: 'Forget what was granted to a connector, and ask the authorization server to revoke it',
  params: oneConnector,
  problems: ['not-found'],
  answer: (ctx, { params, caller }) => disconnect(ctx, caller, params.id),
})

export const clientDocument = define({
  summary: 'Bellhop as an OAuth client, for authorization servers that read such a document; only over https',
  // The standard has its own names for the fields.
  mediaType: 'application/json',
  problems: ['not-found'],
  async answer(ctx) {
    const url = clientDocumentUrl(ctx)
    if (url === null) throw problem('not-found', 'This document exists only if PUBLIC_URL is https.')
    return Response.json({ client_id: url, ...clientMetadata(ctx) })
  },
})
