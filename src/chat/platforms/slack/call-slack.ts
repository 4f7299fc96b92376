import { callSlackApi, type SlackApiResponse } from '@chat-adapter/slack/api'
import { apiUrl, type Connection, credential } from '../connection.ts'
import { PlatformError } from '../platform-error.ts'

export const defaultApiUrl = 'https://slack.com/api/'

const revoked = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'org_login_required',
])
const uncertain = new Set(['internal_error', 'fatal_error', 'request_timeout', 'service_unavailable'])

/** Advice for the refusals that happen in practice. */
const advice: Record<string, string> = {
  channel_not_found: 'Slack does not know the channel, or it is private and the app is not in it.',
  not_in_channel: 'The app is not in the channel. Invite it there with /invite.',
  is_archived: 'The channel is archived.',
  missing_scope:
    'The app is missing a permission. Update it with the manifest from Bellhop and install it again.',
  not_allowed_token_type: 'This is not an app-level token (xapp-…) with the scope connections:write.',
  restricted_action: 'A setting of the Slack workspace forbids this.',
}

/** Calls a method of the Web API and turns failures into `PlatformError`. */
export async function callSlack(
  connection: Connection,
  method: string,
  body: Record<string, unknown>,
  secret: 'botToken' | 'appToken' = 'botToken',
): Promise<SlackApiResponse> {
  const answer = await ask(connection, method, body, secret)
  if (answer.ok === true) return answer
  const code = answer.error ?? 'unknown_error'
  if (code === 'ratelimited' || code === 'rate_limited') {
    throw new PlatformError('rate-limited', 'Slack is rate limiting requests.', { retryAfterMs: 1000 })
  }
  if (revoked.has(code)) {
    const what = secret === 'appToken' ? 'app-level token' : 'token'
    throw new PlatformError('revoked', `Slack no longer accepts the ${what} (${code}).`, { secret })
  }
  if (uncertain.has(code)) throw new PlatformError('uncertain', `Slack failed (${code}).`)
  throw new PlatformError('refused', `Slack refused ${method}: ${adviceFor(code, answer.needed)}`, {
    code,
    secret,
  })
}

function adviceFor(code: string, needed: unknown): string {
  const known = advice[code] ?? code
  return code === 'missing_scope' && typeof needed === 'string'
    ? `The app lacks \`${needed}\`. Update it with the manifest from Bellhop and install it again.`
    : known
}

async function ask(
  connection: Connection,
  method: string,
  body: Record<string, unknown>,
  secret: 'botToken' | 'appToken',
) {
  try {
    return await callSlackApi(method, body, {
      token: credential(connection, secret),
      apiUrl: apiUrl(connection, defaultApiUrl),
      fetch: connection.fetch,
    })
  } catch (error) {
    if (error instanceof PlatformError) throw error
    // A status other than 200, or an answer that is not JSON: not from Slack itself, so it proves nothing.
    throw new PlatformError('uncertain', `Slack sent no valid response to ${method}.`, { cause: error })
  }
}
