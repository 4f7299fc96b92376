import type { Vault } from '../platform/crypto/vault.ts'
import type { FieldError } from '../problems.ts'
import type { HttpConnectorPatch } from './contract.ts'
import { headerPointer } from './draft.ts'
import { authPlace, headerPlace, type LoadedConnector } from './get-connector.ts'

type Lost = { field: 'authValue' | 'defaultHeaders'; pointer: string }

/** Stored secrets that cannot be opened any more, since their key is gone. */
export function listLost({ vault }: { vault: Vault }, { row, headers }: LoadedConnector): Lost[] {
  const lost: Lost[] = []
  if (row.authValue !== null && !vault.openIfKeyIsKnown(row.authValue, authPlace(row.id)))
    lost.push({ field: 'authValue', pointer: '/authValue' })
  for (const { id, name, sealedValue } of headers) {
    if (sealedValue !== null && !vault.openIfKeyIsKnown(sealedValue, headerPlace(id)))
      lost.push({ field: 'defaultHeaders', pointer: headerPointer(name) })
  }
  return lost
}

/** A change of something else must not clear them silently: the key may be found again. */
export function refuseToKeep(
  lost: readonly Lost[],
  { authValue, defaultHeaders }: Pick<HttpConnectorPatch, 'authValue' | 'defaultHeaders'>,
): FieldError[] {
  const named = Object.keys(defaultHeaders ?? {}).map((name) => headerPointer(name).toLowerCase())
  const isGiven = ({ field, pointer }: Lost) =>
    field === 'authValue'
      ? authValue !== undefined
      : defaultHeaders === null || named.includes(pointer.toLowerCase())
  return lost.filter((one) => !isGiven(one)).map(({ pointer }) => ({ pointer, detail: lostDetail }))
}

const lostDetail =
  'The stored value cannot be opened any more, since its key is gone. Enter it again, or send null to clear it.'
