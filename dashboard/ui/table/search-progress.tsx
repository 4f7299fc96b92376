import { Text } from '@mantine/core'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useEffect } from 'react'
import { RelativeTime } from '../text/relative-time.tsx'

type Searched = { items: unknown[]; searchedBackTo?: string | undefined }

/** As many as a person looks at before asking for more. */
const enough = 20

/**
 * Data without an index is searched in steps, newest first. The page continues by itself until there is something to show, and
 * says how far it has got.
 */
export function SearchProgress({ query }: { query: UseInfiniteQueryResult<InfiniteData<Searched>> }) {
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query
  const pages = data?.pages ?? []
  const found = pages.reduce((sum, { items }) => sum + items.length, 0)
  const goesOn = hasNextPage && !isError && found < enough
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage()
  }, [goesOn, isFetching, fetchNextPage])
  if (pages.length === 0) return null
  const back = pages.at(-1)?.searchedBackTo
  return (
    <Text size="xs" c="dimmed" role="status">
      {goesOn ? 'Searching older entries. ' : ''}
      {found} found,{' '}
      {back ? (
        <>
          searched back to <RelativeTime at={back} />
        </>
      ) : (
        'all entries searched'
      )}
    </Text>
  )
}
