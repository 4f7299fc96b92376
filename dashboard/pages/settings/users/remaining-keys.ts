import type { User } from '../../../contract.ts'
import { plural } from '../../../ui/text/plural.ts'

/** Shown when somebody loses the right to make keys: they may still have those that they made. */
export function remainingKeys({ apiKeys }: User): string {
  if (apiKeys === 0) return ''
  const work = apiKeys === 1 ? 'works' : 'work'
  return `${plural(apiKeys, 'API key')} they created still ${work}. Revoke any they should not keep under API keys.`
}
