import { once } from 'node:events'
import { createServer } from 'node:http'
import Provider from 'oidc-provider'
import { freePort } from './free-port.ts'

/**
 * An authorization server that others wrote (oidc-provider): registration, PKCE, `iss`, and refresh tokens that can be used once.
 * Everybody who comes is signed in as Kim and agrees.
 */
export async function startAuthorizationServer({ accessTokenFormat = 'opaque' } = {}) {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const asked: string[] = []
  const refused: string[] = []
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'robot',
        client_secret: 'planted-robot-secret-0001',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_ctx: unknown, resource: string) => ({
          scope: 'docs:read',
          accessTokenFormat,
          audience: resource,
        }),
        useGrantedResource: () => true,
      },
    },
    scopes: ['openid', 'offline_access', 'email', 'docs:read'],
    claims: { openid: ['sub'], email: ['email'] },
    conformIdTokenClaims: false,
    findAccount: (_ctx: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, email: 'kim@example.test' }),
    }),
    issueRefreshToken: (_ctx: unknown, client: { grantTypeAllowed(type: string): boolean }) =>
      client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    interactions: { url: () => '/sign-in' },
    cookies: { keys: ['of a test'] },
    ttl: {
      AccessToken: 3600,
      RefreshToken: 86_400,
      Grant: 86_400,
      Session: 3600,
      Interaction: 600,
      IdToken: 600,
    },
  })
  provider.on('grant.success', ({ oidc }) => asked.push(oidc.params?.grant_type ?? ''))
  provider.on('grant.error', ({ oidc }) => refused.push(oidc.params?.grant_type ?? ''))
  const answer = provider.callback()
  const server = createServer((request, response) => {
    void (async () => {
      if (request.url !== '/sign-in') return await answer(request, response)
      const { params } = await provider.interactionDetails(request, response)
      const accountId = 'kim'
      const grant = new provider.Grant({ accountId, clientId: params.client_id ?? '' })
      grant.addOIDCScope(params.scope ?? '')
      if (params.resource) grant.addResourceScope(params.resource, 'docs:read')
      const grantId = await grant.save()
      await provider.interactionFinished(request, response, { login: { accountId }, consent: { grantId } })
    })()
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    issuer,
    pair: `127.0.0.1:${port}`,
    /** The grant types that were asked for with success, and without. */
    asked,
    refused,
    isValid: async (token: string) =>
      Boolean((await provider.AccessToken.find(token)) ?? (await provider.ClientCredentials.find(token))),
    revoke: async (token: string) => (await provider.AccessToken.find(token))?.destroy(),
    /** What a browser does: it follows the server until it is sent back. */
    async visit(url: string, callback: string): Promise<string> {
      const cookies = new Map<string, string>()
      for (let at = url; ; ) {
        const response = await fetch(at, {
          redirect: 'manual',
          headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
        })
        for (const cookie of response.headers.getSetCookie()) {
          const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split(/=(.*)/s)
          cookies.set(name, value)
        }
        const to = response.headers.get('location')
        if (to === null) throw new Error(`${at} answered ${response.status}: ${await response.text()}`)
        at = new URL(to, at).href
        if (at.startsWith(callback)) return at
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
