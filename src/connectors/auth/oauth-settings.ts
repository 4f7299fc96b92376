import type { FieldError } from '../../http/problems.ts'
import { isLoopback } from '../../platform/http-server/is-loopback.ts'
import { originOf } from '../../platform/http-server/origin-of.ts'
import { Secret } from '../../platform/secret.ts'
import type { AuthType, OauthInput } from './contract.ts'

/** What was configured. Null means that it is discovered. */
export type OauthSettings = {
  issuer: string | null
  authorizationUrl: string | null
  tokenUrl: string | null
  revocationUrl: string | null
  clientId: string | null
  clientSecret: Secret | null
  tokenAuth: 'auto' | 'basic' | 'post' | 'none'
  scopes: string[]
  resource: string | null
  extraParams: Record<string, string>
}

const empty: OauthSettings = {
  issuer: null,
  authorizationUrl: null,
  tokenUrl: null,
  revocationUrl: null,
  clientId: null,
  clientSecret: null,
  tokenAuth: 'auto',
  scopes: [],
  resource: null,
  extraParams: {},
}

export function usesOauth(authType: AuthType): authType is 'oauth' | 'oauth_client' {
  return authType === 'oauth' || authType === 'oauth_client'
}

/**
 * A merge patch. The client secret goes to the authorization server, so it is dropped when that may be another one, unless the
 * patch brings it again.
 */
export function patchOauth(
  before: OauthSettings | null,
  patch: OauthInput | null | undefined,
  staysHere: boolean,
): { oauth: OauthSettings; errors: FieldError[] } {
  const old = patch === null ? empty : (before ?? empty)
  const { clientSecret: given, ...fields } = patch ?? {}
  const merged = { ...old }
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    // The keys and values come from the shape of the patch; null stands for the default.
    const key = name as Exclude<keyof OauthSettings, 'clientSecret'>
    Object.assign(merged, { [key]: value ?? empty[key] })
  }
  const errors: FieldError[] = []
  const isSameServer = staysHere && sameOrigins(old, merged) && old.clientId === merged.clientId
  let clientSecret = isSameServer ? old.clientSecret : null
  if (given === null) clientSecret = null
  else if (typeof given === 'string') clientSecret = new Secret(given)
  else if (given?.set && !clientSecret) {
    errors.push({
      pointer: '/oauth/clientSecret',
      detail: 'No client secret is stored for this server and client; send the secret itself.',
    })
  }
  return { oauth: { ...merged, clientSecret }, errors }
}

function sameOrigins(one: OauthSettings, other: OauthSettings): boolean {
  const origin = (url: string | null) => url && originOf(url)
  return origin(one.issuer) === origin(other.issuer) && origin(one.tokenUrl) === origin(other.tokenUrl)
}

export function checkOauth(authType: AuthType, oauth: OauthSettings | null): FieldError[] {
  if (!usesOauth(authType) || !oauth) return []
  const errors: FieldError[] = []
  for (const field of ['issuer', 'authorizationUrl', 'tokenUrl', 'revocationUrl'] as const) {
    const url = oauth[field]
    if (url !== null && !isSecure(url))
      errors.push({ pointer: `/oauth/${field}`, detail: 'This must begin with https://.' })
  }
  if (authType === 'oauth' && (oauth.authorizationUrl === null) !== (oauth.tokenUrl === null)) {
    errors.push({ pointer: '/oauth/tokenUrl', detail: 'Enter both the authorization URL and the token URL.' })
  }
  return errors
}

/** Over plain http, tokens would be readable on the way. Only a server on the same machine may have it. */
export function isSecure(url: string): boolean {
  const parsed = URL.parse(url)
  return (
    parsed !== null && (parsed.protocol === 'https:' || (parsed.protocol === 'http:' && isLoopback(parsed)))
  )
}

/** Whether a token that was granted under the one is still meant under the other. */
export function staysGranted(one: OauthSettings | null, other: OauthSettings | null): boolean {
  const facts = (oauth: OauthSettings | null) =>
    oauth && [
      oauth.issuer,
      oauth.authorizationUrl,
      oauth.tokenUrl,
      oauth.clientId,
      oauth.clientSecret?.reveal(),
      oauth.resource,
    ]
  return JSON.stringify(facts(one)) === JSON.stringify(facts(other))
}

/** JSON text without the secret. */
export function writeOauth(oauth: OauthSettings | null): string | null {
  if (!oauth) return null
  const { clientSecret: _sealed, ...plain } = oauth
  return JSON.stringify(plain)
}

export function readOauth(text: string | null, clientSecret: Secret | null): OauthSettings | null {
  // `writeOauth` wrote it.
  return text === null ? null : { ...(JSON.parse(text) as Omit<OauthSettings, 'clientSecret'>), clientSecret }
}
