import type { Connector } from '../../../contract.ts'

/** The settings of OAuth as a form edits them: everything is text. */
export type OauthValues = {
  issuer: string
  authorizationUrl: string
  tokenUrl: string
  revocationUrl: string
  clientId: string
  clientSecret: string
  tokenAuth: 'auto' | 'basic' | 'post' | 'none'
  /** Separated by spaces. */
  scopes: string
  resource: string
  /** One `name=value` per line. */
  extraParams: string
}

export const newOauth: OauthValues = {
  issuer: '',
  authorizationUrl: '',
  tokenUrl: '',
  revocationUrl: '',
  clientId: '',
  clientSecret: '',
  tokenAuth: 'auto',
  scopes: '',
  resource: '',
  extraParams: '',
}

export function toOauthValues(oauth: Connector['oauth']): OauthValues {
  if (!oauth) return newOauth
  return {
    issuer: oauth.issuer ?? '',
    authorizationUrl: oauth.authorizationUrl ?? '',
    tokenUrl: oauth.tokenUrl ?? '',
    revocationUrl: oauth.revocationUrl ?? '',
    clientId: oauth.clientId ?? '',
    clientSecret: '',
    tokenAuth: oauth.tokenAuth,
    scopes: oauth.scopes.join(' '),
    resource: oauth.resource ?? '',
    extraParams: Object.entries(oauth.extraParams)
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
  }
}

/** What was changed, as a merge patch. A secret that was not typed is left out. */
export function toOauthBody(values: OauthValues, before: Connector['oauth']): Record<string, unknown> {
  const known = toOauthValues(before)
  const body: Record<string, unknown> = {}
  for (const name of [
    'issuer',
    'authorizationUrl',
    'tokenUrl',
    'revocationUrl',
    'clientId',
    'resource',
  ] as const) {
    const text = values[name].trim()
    if (text !== known[name]) body[name] = text === '' ? null : text
  }
  if (values.clientSecret !== '') body.clientSecret = values.clientSecret
  if (values.tokenAuth !== known.tokenAuth) body.tokenAuth = values.tokenAuth
  if (values.scopes !== known.scopes) body.scopes = values.scopes.split(/[\s,]+/).filter(Boolean)
  if (values.extraParams !== known.extraParams) body.extraParams = paramsOf(values.extraParams)
  return body
}

function paramsOf(lines: string): Record<string, string> {
  return Object.fromEntries(
    lines
      .split('\n')
      .map((line) => line.split(/=(.*)/s))
      .flatMap(([name = '', value = '']) => (name.trim() === '' ? [] : [[name.trim(), value.trim()]])),
  )
}
