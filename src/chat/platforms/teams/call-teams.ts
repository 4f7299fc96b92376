import { callTeamsConnectorApi, resolveTeamsAccessToken, TeamsApiError } from '@chat-adapter/teams/api'
import { z } from 'zod'
import { type Connection, credential } from '../connection.ts'
import { PlatformError } from '../platform-error.ts'

const defaultServiceUrl = 'https://smba.trafficmanager.net/teams/'
const defaultLoginUrl = 'https://login.microsoftonline.com/'
/** Tokens are valid for an hour or more. */
const tokenMs = 30 * 60_000
const errorShape = z.looseObject({ error: z.looseObject({ message: z.string() }) })

/** Calls the Bot Connector and turns failures into `PlatformError`. */
export async function callTeams(
  connection: Connection,
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const accessToken = await teamsToken(connection)
  try {
    const answer = await callTeamsConnectorApi<Record<string, unknown>>({
      credentials: { accessToken },
      serviceUrl: connection.settings.serviceUrl ?? defaultServiceUrl,
      fetch: connection.fetch,
      method,
      path,
      body,
    })
    return answer.body ?? {}
  } catch (error) {
    if (error instanceof PlatformError) throw error
    if (!(error instanceof TeamsApiError) || error.status === undefined) {
      throw new PlatformError('uncertain', 'Teams sent no valid response.', { cause: error })
    }
    if (error.status === 401) throw new PlatformError('revoked', 'Teams does not accept the app any more.')
    // Microsoft says to retry it, like 429.
    if (error.status === 412)
      throw new PlatformError('down', 'Teams asked to try again later.', { cause: error })
    const why = errorShape.safeParse(error.body).data?.error.message ?? error.status
    throw new PlatformError('refused', `Teams refused it (${why}). Is the app installed in this team?`, {
      cause: error,
    })
  }
}

/** A failure here means that nothing was sent, whatever the reason. */
export async function teamsToken(connection: Connection): Promise<string> {
  const { appId, tenantId = 'botframework.com', loginUrl = defaultLoginUrl } = connection.settings
  if (!appId) throw new PlatformError('refused', 'The app id is missing.')
  try {
    return await connection.cache.getOrFetch('token', tokenMs, () =>
      resolveTeamsAccessToken({
        credentials: { appId, appPassword: credential(connection, 'appPassword') },
        tokenUrl: new URL(`${encodeURIComponent(tenantId)}/oauth2/v2.0/token`, loginUrl).href,
        fetch: connection.fetch,
      }),
    )
  } catch (error) {
    if (error instanceof TeamsApiError && error.status !== undefined) {
      throw new PlatformError('revoked', 'Microsoft does not accept the app id and password.', {
        cause: error,
      })
    }
    if (error instanceof PlatformError && error.kind === 'rate-limited') throw error
    throw new PlatformError('down', 'Microsoft’s sign-in does not answer.', { cause: error })
  }
}
