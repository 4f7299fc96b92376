import { z } from 'zod'

export const revisionShape = z.object({
  n: z.int(),
  /** Null for what was there before the first save that is kept. */
  savedBy: z.object({ kind: z.string(), id: z.string(), name: z.string() }).nullable(),
  savedAt: z.iso.datetime(),
  /** The revision that this save brought back. */
  restoredFrom: z.int().nullable(),
  /** Against the revision before; `model.name` is a field inside another one. Empty for the first. */
  changes: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
  /** Secrets that were replaced or removed. What they were is in no revision. */
  changedSecrets: z.array(z.string()),
  /** Everything that was saved. */
  document: z.record(z.string(), z.unknown()),
})
export type RevisionShape = z.output<typeof revisionShape>
