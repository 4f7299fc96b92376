import { useDocumentVisibility } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import type { Channel, Message } from '../../../../contract.ts'
import { useMe } from '../../../accounts/use-me.ts'
import { findFirstNew } from '../group-messages.ts'

type New = { count: number; first: string | null }
type Loaded = { isFetching: boolean; dataUpdatedAt: number }

/**
 * What was new when the channel was opened or when the reader came back from another tab; from then on, everything counts as
 * read. Null until that is known.
 */
export function useNewMessages(
  channel: Channel | null,
  query: Loaded,
  all: Message[],
  shown: Message[],
): New | null {
  const me = useMe()
  const found = useRef<New | null>(null)
  const away = useRef<{ newest: string; until: number } | null>(null)
  const isHidden = useDocumentVisibility() === 'hidden'
  const newest = all.at(-1)?.id
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was the newest when the reader left
  useEffect(() => {
    if (isHidden) away.current = newest === undefined ? null : { newest, until: Number.POSITIVE_INFINITY }
    else if (away.current) away.current.until = Date.now()
  }, [isHidden])

  if (!channel || query.isFetching) return found.current
  if (found.current === null) {
    found.current = { count: channel.unread, first: findFirstNew(all, shown, channel.unread, me.id) }
  } else if (away.current && query.dataUpdatedAt > away.current.until) {
    const { newest: last } = away.current
    away.current = null
    const count = all.filter(({ id, author }) => id > last && author.id !== me.id).length
    if (count > 0) found.current = { count, first: findFirstNew(all, shown, count, me.id) }
  }
  return found.current
}
