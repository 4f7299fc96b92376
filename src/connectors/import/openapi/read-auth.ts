import { isObject } from '../../../platform/json/is-object.ts'
import type { AuthType, OauthInput } from '../../auth/contract.ts'
import { isSecure } from '../../auth/oauth-settings.ts'
import { asArray, asString, type Json } from '../json-parts.ts'
import { followReferences } from './follow-references.ts'

type Auth = { authType: AuthType; authName?: string; oauth?: OauthInput; warnings: string[] }

/** How an API authenticates, by the first of its security schemes that is supported. */
export function readAuth(document: Json): Auth {
  const components = isObject(document.components) ? document.components : {}
  const schemes = isObject(components.securitySchemes) ? components.securitySchemes : {}
  const wanted = asArray(document.security).flatMap((entry) => (isObject(entry) ? Object.entries(entry) : []))
  const names = [...new Set([...wanted.map(([name]) => name), ...Object.keys(schemes)])]
  const known = names.flatMap((name) => {
    const scheme = followReferences(document, schemes[name])
    const scopes = wanted.find(([one]) => one === name)?.[1]
    return scheme ? [{ scheme, scopes: asArray(scopes).filter((scope) => typeof scope === 'string') }] : []
  })
  for (const { scheme, scopes } of known) {
    const auth = authOf(scheme, scopes)
    if (auth) return auth
  }
  if (known.length > 0) return { authType: 'none', warnings: [unsupported] }
  return { authType: 'none', warnings: refusesStrangers(document) ? [notSaid] : [] }
}

const unsupported =
  'Bellhop does not support the authentication of this API. See its documentation for another way.'
const notSaid =
  'The document does not say how the API authenticates, but that it answers 401 without a credential. Choose the authentication by the API’s own documentation; most take a token as bearer.'

function refusesStrangers({ paths }: Json): boolean {
  const operations = Object.values(isObject(paths) ? paths : {}).flatMap((item) =>
    isObject(item) ? Object.values(item) : [],
  )
  return operations.some(
    (operation) => isObject(operation) && isObject(operation.responses) && '401' in operation.responses,
  )
}

function authOf(scheme: Json, scopes: string[]): Auth | null {
  const kind = scheme.type === 'http' ? `http ${asString(scheme.scheme).toLowerCase()}` : scheme.type
  switch (kind) {
    case 'http bearer':
      return { authType: 'bearer', warnings: [] }
    case 'http basic':
      return { authType: 'basic', warnings: [] }
    case 'oauth2':
      return oauthOf(scheme, scopes) ?? pastedToken
    case 'openIdConnect': {
      const issuer = asString(scheme.openIdConnectUrl).replace(/\/\.well-known\/openid-configuration$/, '')
      return isSecure(issuer)
        ? { authType: 'oauth', oauth: { issuer, scopes }, warnings: [registerFirst] }
        : pastedToken
    }
    case 'apiKey':
      if (scheme.in === 'query')
        return { authType: 'query', authName: asString(scheme.name) || 'api_key', warnings: [] }
      if (scheme.in !== 'header') return null
      return { authType: 'api_key', authName: asString(scheme.name) || 'X-API-Key', warnings: [] }
    default:
      return null
  }
}

const pastedToken: Auth = {
  authType: 'bearer',
  warnings: ['Bellhop does not support the way this API uses OAuth. Enter an access token as the secret.'],
}
const registerFirst =
  'The API uses OAuth: after saving, enter the client ID of an app that you registered there under Settings, and an admin signs in.'
const enterClient =
  'The API uses OAuth: after saving, enter the client ID and the client secret under Settings.'

/** Of what the API offers, somebody signing in first, then a program. Only the scopes that the document asks for everywhere. */
function oauthOf({ flows }: Json, scopes: string[]): Auth | null {
  const flow = (name: string) => (isObject(flows) && isObject(flows[name]) ? flows[name] : {})
  const { authorizationCode, clientCredentials } = {
    authorizationCode: flow('authorizationCode'),
    clientCredentials: flow('clientCredentials'),
  }
  const [authorizationUrl, tokenUrl] = [
    asString(authorizationCode.authorizationUrl),
    asString(authorizationCode.tokenUrl),
  ]
  if (isSecure(authorizationUrl) && isSecure(tokenUrl))
    return { authType: 'oauth', oauth: { authorizationUrl, tokenUrl, scopes }, warnings: [registerFirst] }
  const programUrl = asString(clientCredentials.tokenUrl)
  return isSecure(programUrl)
    ? { authType: 'oauth_client', oauth: { tokenUrl: programUrl, scopes }, warnings: [enterClient] }
    : null
}
