import { Button, Group } from '@mantine/core'
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorAlert } from '../feedback/error-alert.tsx'
import { Loading } from '../feedback/loading.tsx'
import { LoadedList } from './use-whole-list.ts'

type Query<T> = UseInfiniteQueryResult<InfiniteData<{ items: T[] }>>

type Props<T> = {
  query: Query<T>
  empty: ReactNode
  children: (items: T[]) => ReactNode
}

/** The four states of every list, and the button for its next page. */
export function ListView<T>({ query, empty, children }: Props<T>) {
  if (query.data === undefined) {
    if (query.error) return <ErrorAlert error={query.error} retry={() => void query.refetch()} />
    return <Loading />
  }
  const items = query.data.pages.flatMap((page) => page.items)
  if (items.length === 0 && !query.hasNextPage) {
    // The rows of the search before say nothing about this one.
    return query.isPlaceholderData ? <Loading /> : empty
  }
  return (
    <>
      {items.length > 0 && <LoadedList value={query}>{children(items)}</LoadedList>}
      {query.isFetchNextPageError && (
        <ErrorAlert error={query.error} retry={() => void query.fetchNextPage()} />
      )}
      {query.hasNextPage && !query.isFetchNextPageError && (
        <Group justify="center" mt="md">
          <Button
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            Show more
          </Button>
        </Group>
      )}
    </>
  )
}

/** The list is empty as far as loaded, so there is nothing to search either. */
export function isEmpty<T>({ data, isPlaceholderData }: Query<T>): boolean {
  return !isPlaceholderData && (data?.pages ?? []).every((page) => page.items.length === 0)
}
