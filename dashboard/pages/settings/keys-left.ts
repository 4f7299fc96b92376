import type { User } from '../../contract.ts'
import { count } from '../../ui/count.ts'

/** Shown when somebody loses the right to make keys: they may still have those that they made. */
export function keysLeft({ apiKeys }: User): string {
  if (apiKeys === 0) return ''
  const work = apiKeys === 1 ? 'works' : 'work'
  return `${count(apiKeys, 'API key')} they created still ${work}. Revoke any they should not keep under API keys.`
}
