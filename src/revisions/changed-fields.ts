import { isDeepStrictEqual } from 'node:util'

type Source = { state: string } & Readonly<Record<string, unknown>>

/** The fields of a patch for a webhook or schedule that are different now: a client may send all of them to change one. */
export function changedFields(
  before: Source & { pausedAt: Date | null },
  after: Source,
  patch: object,
): string[] {
  return Object.keys(patch).filter((field) => {
    if (field === 'paused') return before.pausedAt !== null
    if (field === 'active') return after.state !== before.state
    return !isDeepStrictEqual(after[field], before[field])
  })
}
