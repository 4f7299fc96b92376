import {
  type InfiniteData,
  type QueryKey,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import { call, type Paged, withQuery } from './api.ts'

type Filters = Record<string, string | undefined>

/** One thing. The path is the key: whoever changes it invalidates the path. */
export function useOne<T>(
  path: string | null,
  everyMs?: number | ((value: T | undefined) => number | false),
) {
  return useQuery<T>({
    queryKey: [path],
    queryFn: ({ signal }) => call<T>('GET', path ?? '', undefined, signal),
    enabled: path !== null,
    ...(everyMs === undefined
      ? {}
      : {
          refetchInterval: (query) =>
            typeof everyMs === 'number' ? everyMs : everyMs(query.state.data as T | undefined), // T is what queryFn gives
        }),
  }) as UseQueryResult<T>
}

/** A list, page after page by cursor, read again every few seconds where `live` says so. */
export function useList<T>(path: string, filters: Filters = {}, live = false, enabled = true) {
  return useInfiniteQuery<Paged<T>, Error, InfiniteData<Paged<T>>, QueryKey, string | null>({
    queryKey: [path, filters],
    queryFn: ({ pageParam, signal }) =>
      call<Paged<T>>('GET', withQuery(path, { ...filters, cursor: pageParam }), undefined, signal),
    initialPageParam: null,
    getNextPageParam: (last) => last.nextCursor,
    enabled,
    // Somebody who pages back reads the past; asking for all of it every few seconds would help nobody.
    refetchInterval: (query) => (live && (query.state.data?.pages.length ?? 0) <= 2 ? 3000 : false),
  })
}
