import { missingScopes } from '../../auth/missing-scopes.ts'
import type { RequestSecrets } from '../../auth/request-secrets.ts'
import type { SignRequest } from '../../call/callable-tool.ts'
import { McpFailure } from '../mcp-failure.ts'
import type { McpServer } from '../mcp-server.ts'

type Fetch = typeof globalThis.fetch

/** Adds headers and secrets of the connector to every request, and to none that leaves its origin. */
export function authenticatedFetch(
  guarded: Fetch,
  server: McpServer,
  /** Of the call that is under way. */
  signing: () => SignRequest | null,
): Fetch {
  const { origin } = new URL(server.url)
  return async (input, init) => {
    const url = String(input instanceof Request ? input.url : input)
    if (new URL(url).origin !== origin) return await guarded(input, init)
    const send = async (secrets: RequestSecrets) => {
      const to = secrets.addTo(url)
      const headers = headersFor(server, init?.headers, secrets)
      const sign = isCall(init?.body) ? signing() : null
      const signature = sign ? await sign({ method: 'POST', url: to, body: String(init?.body) }) : {}
      for (const [name, value] of Object.entries(signature)) headers.set(name, value)
      return await guarded(to, { ...init, headers })
    }

    const secrets = await server.auth.secrets()
    if ('refused' in secrets) throw new McpFailure('not_connected', secrets.refused, { tookNoEffect: true })
    const answer = await send(secrets)
    const scopes = missingScopes(answer.status, answer.headers.get('www-authenticate'))
    if (scopes !== null) {
      await answer.body?.cancel()
      await server.auth.lacks(scopes)
      throw new McpFailure('forbidden', wantsScopes, { serverMessage: scopes, tookNoEffect: true })
    }
    if (answer.status !== 401) return answer
    const renewed = await server.auth.renew(secrets)
    if (renewed) {
      await answer.body?.cancel()
      return await send(renewed)
    }
    server.lastChallenge = answer.headers.get('www-authenticate')
    return answer
  }
}

/** The session sends its own messages too, such as the news that a call was given up. */
function isCall(body: unknown): boolean {
  return typeof body === 'string' && body.includes('"method":"tools/call"')
}

const wantsScopes =
  'The server wants more scopes than were granted for this (403). An admin can grant them: Connectors → Reconnect. Scopes:'

/** The headers of the protocol are kept whatever the connector sets; its secrets are kept whatever the protocol sets. */
function headersFor(server: McpServer, own: RequestInit['headers'], secrets: RequestSecrets): Headers {
  const headers = new Headers(server.headers)
  for (const [name, value] of new Headers(own)) headers.set(name, value)
  for (const [name, value] of Object.entries(secrets.headers)) headers.set(name, value)
  return headers
}
