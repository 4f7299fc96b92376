import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { startTarget } from '../../support/start-target.ts'

export const appId = '11111111-2222-3333-4444-555555555555'
export const appPassword = 'planted-teams-password'
const issuer = 'https://api.botframework.com'
const accessToken = 'planted-teams-access-token'

type Call = { method: string; path: string; body: Record<string, unknown> & { text?: string } }

/** Microsoft's sign-in, its public keys and the Bot Connector, on loopback. */
export async function startTeams() {
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const key = { ...(await exportJWK(publicKey)), kid: 'k1', use: 'sig', alg: 'RS256' }
  const calls: Call[] = []
  let lastId = 1700000000000
  let signIns = 0
  const teams = {
    calls,
    signIns: () => signIns,
    /** The channels of the team; the first one has the team's id and no name. */
    conversations: [
      { id: '19:team@thread.tacv2', name: null },
      { id: '19:ops@thread.tacv2', name: 'Ops' },
    ],
    fault: (_call: Call): 'lose-answer' | 'no-id' | number | null => null,
    /** The token that Microsoft puts on its requests; `claims` can spoil it. */
    token: (claims: Record<string, unknown> = {}, signer = privateKey) =>
      new SignJWT({ serviceurl: `${target.origin}/teams/`, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
        .setIssuer(String(claims.iss ?? issuer))
        .setAudience(String(claims.aud ?? appId))
        .setExpirationTime(Number(claims.exp ?? Math.floor(Date.now() / 1000) + 600))
        .sign(signer),
    /** Messages that were posted, with the conversation they went to. */
    posted: () =>
      calls.filter(({ method, body }) => method === 'POST' && (body.activity || body.type === 'message')),
  }
  const target = await startTarget((request, response) => {
    response.setHeader('content-type', 'application/json')
    const say = (body: unknown) => void response.end(JSON.stringify(body))
    if (request.url.endsWith('/oauth2/v2.0/token')) {
      signIns++
      const given = new URLSearchParams(request.body)
      if (given.get('client_secret') === appPassword)
        return say({ access_token: accessToken, expires_in: 3600 })
      return void response.writeHead(401).end('{"error":"invalid_client"}')
    }
    if (request.url === '/openid') return say({ issuer, jwks_uri: `${target.origin}/keys` })
    if (request.url === '/keys') return say({ keys: [key] })
    if (request.headers.authorization !== `Bearer ${accessToken}`)
      return void response.writeHead(401).end('{}')
    if (request.method === 'GET') {
      const path = decodeURIComponent(request.url.replace('/teams/v3/', ''))
      if (path === 'teams/19:team@thread.tacv2') return say({ id: '19:team@thread.tacv2', name: 'Shop' })
      if (path === 'teams/19:team@thread.tacv2/conversations')
        return say({ conversations: teams.conversations })
      return void response.writeHead(404).end('{}')
    }
    const call = {
      method: request.method,
      path: decodeURIComponent(request.url.replace('/teams/v3/', '')),
      body: JSON.parse(request.body) as Call['body'],
    }
    calls.push(call)
    const fault = teams.fault(call)
    if (fault === 'lose-answer') return void response.destroy()
    if (fault === 'no-id') return say({})
    if (fault !== null) return void response.writeHead(fault).end('{}')
    const { members, channelData } = call.body
    if (members && !(channelData as { tenant?: object } | undefined)?.tenant) {
      const error = { code: 'BadSyntax', message: 'Could not parse tenant id' }
      return void response.writeHead(400).end(JSON.stringify({ error }))
    }
    // Typing indicators are not messages, however many a slow machine causes.
    const id = call.body.type === 'typing' ? '1' : String(++lastId)
    return say(call.path === 'conversations' ? { id: `a:${id}`, activityId: id } : { id })
  })
  return Object.assign(teams, {
    origin: target.origin,
    pair: target.pair,
    [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
  })
}
