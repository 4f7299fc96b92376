import { readFile } from 'node:fs/promises'
import { type AuditHead, verifyAuditLog } from '../accounts/audit-log/verify-audit-log.ts'
import { readStatement } from '../tools/receipts/sign-statement.ts'
import type { Options } from './command.ts'
import { withStore } from './with-store.ts'

/** Exits with 1 if an entry was edited, removed or inserted. */
export async function auditVerify({ head }: Options): Promise<number> {
  const kept = head === undefined ? undefined : await readFile(head, 'utf8')
  return await withStore(async ({ db }) => {
    const found = await verifyAuditLog(
      db,
      // Signed by us, so the statement has the shape that we gave.
      async (text) => (await readStatement(db, 'audit-head', text)) as AuditHead | null,
      kept,
    )
    const { entries, unsealed, deletedForAge, faults, moreFaults } = found
    if (!found.ok) {
      const more = moreFaults > 0 ? [`… and ${moreFaults} more.`] : []
      process.stderr.write(
        `The audit log was tampered with.\n${[...faults, ...more].map((fault) => `- ${fault}`).join('\n')}\n`,
      )
      return 1
    }
    process.stdout.write(
      `The audit log is complete and unchanged: ${entries} entries in the chain, ${unsealed} written a moment ago, ${deletedForAge} deleted for their age.\n`,
    )
    return 0
  })
}
