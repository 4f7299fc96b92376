import { createLocalJWKSet, decodeJwt, errors, jwtVerify } from 'jose'
import { z } from 'zod'
import { problem } from '../../../http/problems.ts'
import { parseJson } from '../../../platform/json/parse-json.ts'
import type { Connection } from '../connection.ts'
import { findSigningKeys } from '../find-signing-keys.ts'
import type { InboundRequest } from '../platform.ts'

const chatIssuer = 'chat@system.gserviceaccount.com'
const chatKeysUrl = `https://www.googleapis.com/service_accounts/v1/jwk/${chatIssuer}`
const googleIssuers = ['https://accounts.google.com', 'accounts.google.com']
const googleKeysUrl = 'https://www.googleapis.com/oauth2/v3/certs'
/** The limit for reading a token from the body, which is parsed before the sender is verified. */
const longestUnknown = 64 * 1024

const withToken = z.looseObject({ authorizationEventObject: z.looseObject({ systemIdToken: z.string() }) })

/**
 * For a Chat app, Google signs for the project's number. For an add-on it signs for the URL that is called, which anybody may
 * choose, in the name of a service account that only this project has.
 */
export async function verifyGoogleToken(connection: Connection, request: InboundRequest): Promise<void> {
  const { projectNumber } = connection.settings
  // Without an audience, any project's token would be accepted.
  if (!projectNumber) throw problem('chat-signature-invalid', 'The workspace has no project number.')
  const token = readToken(request)
  try {
    const isOfChat = decodeJwt(token).iss === chatIssuer
    const keysUrl = connection.settings.openIdUrl ?? (isOfChat ? chatKeysUrl : googleKeysUrl)
    const keys = await findSigningKeys(connection, keysUrl)
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer: isOfChat ? chatIssuer : googleIssuers,
      audience: isOfChat ? projectNumber : connection.eventsUrl,
      requiredClaims: ['exp'],
      clockTolerance: 300,
      currentDate: request.now,
    })
    const account = `service-${projectNumber}@gcp-sa-gsuiteaddons.iam.gserviceaccount.com`
    if (!isOfChat && (payload.email !== account || payload.email_verified !== true)) throw notSigned()
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error
    throw notSigned(error)
  }
}

const notSigned = (cause?: unknown) =>
  problem('chat-signature-invalid', 'The request is not signed by Google for this project.', { cause })

/** In the header, or for add-ons also in the body. */
function readToken({ headers, body }: InboundRequest): string {
  const inHeader = headers.get('authorization')?.match(/^Bearer (.+)$/)?.[1]
  if (inHeader || body.length > longestUnknown) return inHeader ?? ''
  return withToken.safeParse(parseJson(body)).data?.authorizationEventObject.systemIdToken ?? ''
}
