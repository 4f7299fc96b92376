import type { SealedColumn } from '../platform/crypto/reseal.ts'

/** Every column that holds sealed values. A test fails when it finds a sealed value in any other column. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'vault_canary', column: 'sealed' },
  { table: 'settings', column: 'secret', id: 'name' },
  { table: 'users', column: 'totp_secret' },
  { table: 'oidc_provider', column: 'client_secret' },
  { table: 'connectors', column: 'auth_value' },
  { table: 'connectors', column: 'oauth_secret' },
  { table: 'connector_grants', column: 'client_secret', id: 'connector_id' },
  { table: 'connector_grants', column: 'access_token', id: 'connector_id' },
  { table: 'connector_grants', column: 'refresh_token', id: 'connector_id' },
  { table: 'oauth_attempts', column: 'sealed' },
  { table: 'connector_headers', column: 'sealed_value' },
  { table: 'audit_keys', column: 'sealed' },
  { table: 'signing_keys', column: 'sealed' },
  { table: 'webhook_tokens', column: 'sealed', id: 'hash' },
  { table: 'webhook_secrets', column: 'sealed' },
  { table: 'refusals', column: 'sealed_request' },
  { table: 'workspaces', column: 'sealed_credentials' },
]
