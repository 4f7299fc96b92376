import type { ConnectorId } from '../../shared/ids.ts'
import { type Authenticator, fixedAuthenticator } from '../auth/authenticator.ts'
import { usesOauth } from '../auth/oauth-settings.ts'
import { type RequestSecrets, requestSecrets, type SecretSettings } from '../auth/request-secrets.ts'
import type { ConnectorRow } from '../manage/store.ts'
import type { GrantRow } from './grant-store.ts'
import { ended, type Grants, notConnected, type Token } from './open-grants.ts'

export type GrantsContext = { connectors: { grants: Grants } }

/** For a stored connector: what a person entered, or what was granted to it. */
export function authenticatorOf(
  { connectors: { grants } }: GrantsContext,
  id: ConnectorId,
  settings: SecretSettings,
): Authenticator {
  if (!usesOauth(settings.authType)) return fixedAuthenticator(settings)
  const generations = new WeakMap<RequestSecrets, number>()
  let last: { generation: number; secrets: RequestSecrets } | undefined
  let credentials: readonly string[] = []
  const secretsOf = ({ token, generation }: Token) => {
    if (last?.generation === generation) return last.secrets
    const secrets = requestSecrets({ ...settings, authValue: token })
    generations.set(secrets, generation)
    // Also of the token before, which a server may still echo. Longest first, so that masking a part does not leave the rest of a longer one.
    const known = [...(last?.secrets.credentials ?? []), ...secrets.credentials]
    credentials = [...new Set(known)].sort((a, b) => b.length - a.length)
    last = { generation, secrets }
    return secrets
  }
  return {
    async secrets() {
      const token = await grants.token(id)
      return 'refused' in token ? token : secretsOf(token)
    },
    async renew(used) {
      const token = await grants.renew(id, generations.get(used) ?? 0)
      return token && secretsOf(token)
    },
    lacks: (scopes) => grants.lacks(id, scopes),
    credentials: () => credentials,
  }
}

/** Why nothing can be sent now; null if something was granted, or need not be. */
export function explainMissingGrant({ authType }: ConnectorRow, grant: GrantRow | null): string | null {
  if (authType === 'oauth' && (!grant || grant.state === 'none')) return notConnected
  return usesOauth(authType) && grant?.state === 'reconnect' ? ended : null
}
