import type { SealedColumn } from './platform/crypto/reseal.ts'

/** Every column that holds sealed values. A test finds sealed values in the database and fails on one that is not here. */
export const sealedColumns: readonly SealedColumn[] = [{ table: 'vault_canary', column: 'sealed' }]
