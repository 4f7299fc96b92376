import { endpoint } from '../../http/endpoint.ts'
import type { Db } from '../../platform/db/database.ts'
import { acceptedLinkShape, acceptLinkBody, inspectLinkBody, linkFactsShape } from '../contract.ts'
import { acceptLink as accept, getPersonLink } from '../users/accept-link.ts'
import { answerSignedIn, visitOf } from './answer-signed-in.ts'

type Context = { db: Db; publicUrl: string }

const define = endpoint<Context>()

/** The token is in the body and not in the URL, which logs and proxies keep. */
export const inspectLink = define({
  summary: 'Check what a one-time link is for',
  body: inspectLinkBody,
  returns: linkFactsShape,
  problems: ['link-expired'],
  async answer(ctx, { body }) {
    const { kind, createdBy, expiresAt, user } = await getPersonLink(ctx, body.token)
    const { email, name, role } = user
    return { kind, email, name, role, createdBy, expiresAt: expiresAt.toISOString() }
  },
})

export const acceptLink = define({
  summary: 'Accept an invitation or reset a password with a one-time link, and sign in',
  body: acceptLinkBody,
  returns: acceptedLinkShape,
  problems: ['link-expired', 'name-taken'],
  async answer(ctx, request) {
    const { user, entry } = await accept(ctx, request.body, visitOf(request))
    const body = { email: user.email, signedIn: entry !== null }
    return entry ? answerSignedIn(ctx, request.raw, entry, body) : body
  },
})
