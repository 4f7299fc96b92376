import { importPKCS8, SignJWT } from 'jose'
import { z } from 'zod'
import { parseJson } from '../../../platform/json/parse-json.ts'
import { callRest } from '../call-rest.ts'
import { apiUrl, type Connection, credential } from '../connection.ts'
import { PlatformError } from '../platform-error.ts'

const defaultApiUrl = 'https://chat.googleapis.com/v1/'
const scope = 'https://www.googleapis.com/auth/chat.bot'
/** Tokens are valid for an hour. */
const tokenMs = 30 * 60_000

const accountShape = z.object({
  client_email: z.string(),
  private_key: z.string(),
  token_uri: z.url().default('https://oauth2.googleapis.com/token'),
})
type Account = z.output<typeof accountShape>
const tokenShape = z.object({ access_token: z.string() })

export async function callGoogleChat(
  connection: Connection,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body: unknown,
): Promise<unknown> {
  return callRest(connection, {
    platform: 'Google Chat',
    credential: 'service account',
    method,
    url: new URL(path, apiUrl(connection, defaultApiUrl)),
    headers: { authorization: `Bearer ${await accessToken(connection)}` },
    body,
  })
}

/** A failure here means that nothing was sent, whatever the reason. */
async function accessToken(connection: Connection): Promise<string> {
  return connection.cache.getOrFetch('token', tokenMs, async () => {
    const account = readAccount(connection)
    if (!account)
      throw new PlatformError('refused', 'The service account is not the JSON key that Google gives out.')
    try {
      return await askForToken(connection, account)
    } catch (error) {
      if (error instanceof PlatformError && error.kind !== 'uncertain') throw error
      throw new PlatformError('down', 'Google’s sign-in does not answer.', { cause: error })
    }
  })
}

/** RFC 7523: exchanges a JWT signed by the account for an access token. */
async function askForToken(connection: Connection, account: Account): Promise<string> {
  const signer = await importPKCS8(account.private_key, 'RS256').catch((cause: unknown) => {
    throw new PlatformError('refused', 'The private key of the service account cannot be read.', { cause })
  })
  const assertion = await new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256' })
    .setIssuer(account.client_email)
    .setAudience(account.token_uri)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(signer)
  const response = await connection.fetch(account.token_uri, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }),
  })
  if (!response.ok) throw new PlatformError('revoked', 'Google does not accept the service account.')
  return tokenShape.parse(await response.json()).access_token
}

export function readAccount(connection: Connection): Account | undefined {
  return accountShape.safeParse(parseJson(credential(connection, 'serviceAccount'))).data
}
