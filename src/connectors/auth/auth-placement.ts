import type { AuthType } from './contract.ts'
import { usesOauth } from './oauth-settings.ts'

export const hiddenValue = '••••••••'

type Settings = {
  authType: AuthType
  authName: string | null
  hasAuthValue: boolean
  /** Whom OAuth acts as. */
  account?: string | null
}

export type AuthPlacement =
  | { in: 'header'; name: string; shown: string }
  /** Appended to the URL while sending. */
  | { in: 'query'; name: string }

/** Where the credential of a connector goes. Null if it has none. */
export function authPlacement({ authType, authName, hasAuthValue, account }: Settings): AuthPlacement | null {
  if (!hasAuthValue && !usesOauth(authType)) return null
  switch (authType) {
    case 'none':
      return null
    case 'bearer':
      return { in: 'header', name: 'Authorization', shown: `Bearer ${hiddenValue}` }
    // The token is not stored with the connector: it changes, and comes while sending.
    case 'oauth':
    case 'oauth_client': {
      const as = account ? ` (as ${account})` : ''
      return { in: 'header', name: 'Authorization', shown: `Bearer ${hiddenValue}${as}` }
    }
    case 'basic':
      return { in: 'header', name: 'Authorization', shown: `Basic ${hiddenValue}` }
    case 'api_key':
      return { in: 'header', name: authName ?? 'X-API-Key', shown: hiddenValue }
    case 'query':
      return { in: 'query', name: authName ?? 'api_key' }
    default:
      throw new Error(`Unhandled auth type ${authType satisfies never}`)
  }
}

/** The URL with one parameter more. What it has already stays as it is written. */
export function appendQuery(url: string, name: string, encodedValue: string): string {
  const parameter = `${encodeURIComponent(name)}=${encodedValue}`
  return `${url}${url.includes('?') ? '&' : '?'}${parameter}`
}

/** For people: `https://api.example.com/x?key=••••••••`. */
export function showQueryKey(url: string, placement: AuthPlacement | null): string {
  return placement?.in === 'query' ? appendQuery(url, placement.name, hiddenValue) : url
}
