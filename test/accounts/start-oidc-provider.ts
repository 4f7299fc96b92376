import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Person = { sub: string; email?: string; email_verified?: boolean; name?: string; amr?: string[] }

export type OidcProviderStub = AsyncDisposable & {
  issuer: string
  /** `127.0.0.1:port`, as EGRESS_PRIVATE_EXCEPTIONS wants it. */
  host: string
  /** The person types their password at the provider: where the browser is sent next. */
  approve(authorizationUrl: string, person: Person): string
  /** Claims that replace the true ones in the next ID token. */
  lie: Record<string, unknown>
  /** How the client must send its secret, and whether the metadata says so. */
  clientAuth: { method: 'post' | 'basic'; listed?: string[] }
  /** Answers never end, until the client disconnects. */
  endless: boolean
  sentBytes(): number
  /** The number of requests so far. */
  asked(): number
}

export const oidcClient = { clientId: 'bellhop', clientSecret: 'the-secret-of-the-client' }

/** OpenID Connect as far as the code flow goes: discovery, keys, tokens with PKCE and client authentication. */
export async function startOidcProvider(): Promise<OidcProviderStub> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const codes = new Map<string, { person: Person; nonce: string; challenge: string; redirectUri: string }>()
  let issuer = ''
  let sentBytes = 0
  let asked = 0
  const stub: Pick<OidcProviderStub, 'lie' | 'clientAuth' | 'endless'> = {
    lie: {},
    clientAuth: { method: 'post' },
    endless: false,
  }

  const knowsClient = (form: URLSearchParams, authorization = '') => {
    if (stub.clientAuth.method === 'post') {
      return (
        form.get('client_id') === oidcClient.clientId && form.get('client_secret') === oidcClient.clientSecret
      )
    }
    const [id, secret] = Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
      .toString()
      .split(':')
    return (
      !form.has('client_secret') &&
      decodeURIComponent(id ?? '') === oidcClient.clientId &&
      decodeURIComponent(secret ?? '') === oidcClient.clientSecret
    )
  }

  const idToken = (claims: Record<string, unknown>) => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = `${part({ alg: 'RS256', kid: 'one' })}.${part(claims)}`
    return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`
  }

  const grant = (form: URLSearchParams, authorization?: string) => {
    if (!knowsClient(form, authorization)) return { status: 401, body: { error: 'invalid_client' } }
    const code = form.get('code') ?? ''
    const known = codes.get(code)
    codes.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const fits = known?.challenge === challenge && known.redirectUri === form.get('redirect_uri')
    if (!known || !fits) return { status: 400, body: { error: 'invalid_grant' } }
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: issuer,
      aud: 'bellhop',
      iat: now,
      exp: now + 300,
      nonce: known.nonce,
      ...known.person,
    }
    const id_token = idToken({ ...claims, ...stub.lie })
    return {
      status: 200,
      body: { access_token: randomUUID(), token_type: 'bearer', expires_in: 300, id_token },
    }
  }

  const answer = async (request: IncomingMessage) => {
    switch (request.url) {
      case '/.well-known/openid-configuration':
        return {
          status: 200,
          body: {
            issuer,
            authorization_endpoint: `${issuer}/authorize`,
            token_endpoint: `${issuer}/token`,
            jwks_uri: `${issuer}/keys`,
            response_types_supported: ['code'],
            subject_types_supported: ['public'],
            id_token_signing_alg_values_supported: ['RS256'],
            token_endpoint_auth_methods_supported: stub.clientAuth.listed,
          },
        }
      case '/keys':
        return {
          status: 200,
          body: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] },
        }
      case '/token':
        return grant(new URLSearchParams(await read(request)), request.headers.authorization)
      default:
        return { status: 404, body: {} }
    }
  }

  const server = createServer(async (request, response) => {
    asked++
    if (stub.endless) {
      response.writeHead(200, { 'content-type': 'application/json' })
      const blanks = Buffer.alloc(64 * 1024, ' ')
      const pump = () => {
        do sentBytes += blanks.length
        while (!response.destroyed && response.write(blanks))
      }
      response.on('drain', pump)
      return pump()
    }
    const { status, body } = await answer(request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A TCP server that listens has an address with a port.
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  issuer = `http://${host}`

  return Object.assign(stub, {
    issuer,
    host,
    sentBytes: () => sentBytes,
    asked: () => asked,
    approve(authorizationUrl: string, person: Person) {
      const wanted = new URL(authorizationUrl).searchParams
      const code = randomUUID()
      codes.set(code, {
        person,
        nonce: wanted.get('nonce') ?? '',
        challenge: wanted.get('code_challenge') ?? '',
        redirectUri: wanted.get('redirect_uri') ?? '',
      })
      return `${wanted.get('redirect_uri')}?code=${code}&state=${wanted.get('state')}`
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
