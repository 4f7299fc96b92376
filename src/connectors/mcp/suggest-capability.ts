import type { Capability } from '../contract.ts'

/** What the server's own words about a tool suggest. They are hints: a person decides, and only an admin decides on `read`. */
export function suggestCapability(raw: Record<string, unknown>): Capability {
  const { annotations } = raw
  if (typeof annotations !== 'object' || annotations === null) return 'write'
  if ('destructiveHint' in annotations && annotations.destructiveHint === true) return 'destructive'
  return 'readOnlyHint' in annotations && annotations.readOnlyHint === true ? 'read' : 'write'
}
