import type { z } from 'zod'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { shownAuthFields } from '../auth/contract.ts'
import { readOauth, usesOauth } from '../auth/oauth-settings.ts'
import type { ConnectorRow } from '../manage/store.ts'
import { type GrantRow, type GrantServer, grantPlace } from './grant-store.ts'
import { lostKey } from './open-grants.ts'

type ShownOauth = z.input<typeof shownAuthFields.oauth>
type ShownGrant = z.input<typeof shownAuthFields.grant>

/** The configuration without its secret. */
export function showOauth({ authType, oauth, oauthSecret }: ConnectorRow, isSecretLost: boolean): ShownOauth {
  const settings = readOauth(oauth, null)
  if (!usesOauth(authType) || !settings) return null
  return { ...settings, clientSecret: { set: oauthSecret !== null && !isSecretLost } }
}

function wantedBy(grant: GrantRow | null): string | null {
  if (!grant?.wantedScopes) return null
  return `A call was refused because it needs more scopes (${grant.wantedScopes}). Reconnect to grant them.`
}

/** What was granted, without its tokens. */
export function showGrant(
  { vault }: { vault: Vault },
  { authType }: ConnectorRow,
  grant: GrantRow | null,
): ShownGrant {
  if (!usesOauth(authType)) return null
  const isLost =
    grant?.accessToken != null &&
    !vault.openIfKeyIsKnown(grant.accessToken, grantPlace(grant.connectorId, 'access_token'))
  return {
    state: isLost ? 'reconnect' : (grant?.state ?? 'none'),
    account: grant?.account ?? null,
    scopes: grant?.scopes.split(' ').filter(Boolean) ?? [],
    expiresAt: grant?.expiresAt?.toISOString() ?? null,
    canRefresh: grant?.state === 'connected' && (grant.refreshToken !== null || authType === 'oauth_client'),
    // `finishSignIn` wrote it.
    issuer: grant?.server ? (JSON.parse(grant.server) as GrantServer).issuer : null,
    registration: grant?.registration ?? null,
    connectedBy: grant?.connectedBy ?? null,
    connectedAt: grant?.connectedAt?.toISOString() ?? null,
    lastError: isLost ? lostKey : (grant?.lastError ?? wantedBy(grant)),
  }
}
