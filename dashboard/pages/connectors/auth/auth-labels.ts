import type { AuthType } from '../../../contract.ts'

/** The ways to authenticate at an API, and how each secret is written. */
export const authLabels: Record<AuthType, { label: string; secret: string }> = {
  none: { label: 'None', secret: '' },
  bearer: { label: 'Bearer token', secret: 'Sent as Authorization: Bearer …' },
  api_key: { label: 'API key in a header', secret: 'Sent unchanged in the header.' },
  query: {
    label: 'API key in the query',
    secret: 'Added to the URL of every request, and shown as •••• everywhere.',
  },
  basic: { label: 'Username and password', secret: 'Enter it as username:password. Bellhop encodes it.' },
  oauth: { label: 'OAuth: an admin signs in', secret: '' },
  oauth_client: { label: 'OAuth: client credentials', secret: '' },
}

export function usesOauth(authType: AuthType): boolean {
  return authType === 'oauth' || authType === 'oauth_client'
}
