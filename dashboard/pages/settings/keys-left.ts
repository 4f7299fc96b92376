import type { User } from '../../contract.ts'
import { count } from '../../ui/count.ts'

/** Shown when somebody loses the right to make keys: they may still have those that they made. */
export function keysLeft({ apiKeys }: User): string {
  if (apiKeys === 0) return ''
  const keep = apiKeys === 1 ? 'keeps' : 'keep'
  return `${count(apiKeys, 'API key')} that they made ${keep} working. Revoke what they may still have, under API keys.`
}
