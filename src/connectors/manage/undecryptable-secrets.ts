import type { FieldError } from '../../http/problems.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { HttpConnectorPatch } from '../contract.ts'
import { headerPointer } from './draft/draft.ts'
import { authPlace, clientSecretPlace, headerPlace } from './get-connector.ts'
import type { ConnectorRow, HeaderRow } from './store.ts'

type Lost = { field: 'authValue' | 'defaultHeaders' | 'oauth'; pointer: string; words: string }
type Stored = { row: ConnectorRow; headers: readonly HeaderRow[] }

/** Stored secrets that cannot be decrypted, because their encryption key is gone. */
export function listUndecryptable({ vault }: { vault: Vault }, { row, headers }: Stored): Lost[] {
  const lost: Lost[] = []
  if (row.authValue !== null && !vault.openIfKeyIsKnown(row.authValue, authPlace(row.id)))
    lost.push({
      field: 'authValue',
      pointer: '/authValue',
      words: row.authType === 'bearer' ? 'bearer token' : 'auth value',
    })
  if (row.oauthSecret !== null && !vault.openIfKeyIsKnown(row.oauthSecret, clientSecretPlace(row.id)))
    lost.push({ field: 'oauth', pointer: '/oauth/clientSecret', words: 'client secret' })
  for (const { id, name, sealedValue } of headers) {
    if (sealedValue !== null && !vault.openIfKeyIsKnown(sealedValue, headerPlace(id)))
      lost.push({ field: 'defaultHeaders', pointer: headerPointer(name), words: `header ${name}` })
  }
  return lost
}

/** Why requests of this connector cannot be sent, and what to do. Null if every secret of it opens. */
export function explainUndecryptable(ctx: { vault: Vault }, stored: Stored): string | null {
  return describeUndecryptable(stored.row.name, listUndecryptable(ctx, stored))
}

export function describeUndecryptable(connector: string, lost: readonly Lost[]): string | null {
  if (lost.length === 0) return null
  const names = lost.map(({ words }) => `the ${words}`).join(' and ')
  const [their, them] = lost.length === 1 ? ['its', 'it'] : ['their', 'them']
  return (
    `${names.replace('the', 'The')} of the connector ${connector} cannot be decrypted, because ${their} encryption key is gone, ` +
    `so nothing is sent. Enter ${them} again in the settings of the connector.`
  )
}

/** A change of something else must not clear them silently: the key may be found again. */
export function refuseToKeep(
  lost: readonly Lost[],
  { authType, authValue, defaultHeaders, oauth }: HttpConnectorPatch,
): FieldError[] {
  const named = Object.keys(defaultHeaders ?? {}).map((name) => headerPointer(name).toLowerCase())
  const isGiven = ({ field, pointer }: Lost) => {
    if (field === 'authValue') return authValue !== undefined
    if (field === 'oauth') return oauth === null || oauth?.clientSecret !== undefined || authType === 'none'
    return defaultHeaders === null || named.includes(pointer.toLowerCase())
  }
  return lost.filter((one) => !isGiven(one)).map(({ pointer }) => ({ pointer, detail: lostDetail }))
}

const lostDetail =
  'The stored value cannot be decrypted, because its encryption key is gone. Enter it again, or send null to clear it.'
