import { isObject } from '../../../platform/json/is-object.ts'
import type { Capability } from '../../contract.ts'

/** What the server's annotations suggest. They are hints: a person decides, and only an admin decides on `read`. */
export function suggestCapability(raw: Record<string, unknown>): Capability {
  const { annotations } = raw
  if (!isObject(annotations)) return 'write'
  if (annotations.destructiveHint === true) return 'destructive'
  return annotations.readOnlyHint === true ? 'read' : 'write'
}
