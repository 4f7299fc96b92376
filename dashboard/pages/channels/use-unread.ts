import type { Unread } from '../../contract.ts'
import { pollMs, useOne } from '../../hooks/use-api.ts'

/** Also while the tab is hidden, since its title says it. */
export function useUnread() {
  const { data } = useOne<Unread>('/channels/unread', pollMs, true)
  return {
    mentions: data && data.mentions > 0 ? shownCount(data.mentions) : null,
    /** Undefined until it is known. */
    latestMention: data?.latestMention,
    isUnread: (data?.channels ?? 0) > 0,
  }
}

/** The server counts up to 100. */
export const shownCount = (count: number) => (count >= 100 ? '99+' : String(count))
