import { type UseQueryResult, useInfiniteQuery, useQuery } from '@tanstack/react-query'
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

/** A list, page after page by cursor. The first page is read again every few seconds where `live` says so. */
export function useList<T>(path: string, filters: Filters = {}, live = false, enabled = true) {
  return useInfiniteQuery({
    queryKey: [path, filters],
    queryFn: ({ pageParam, signal }) =>
      call<Paged<T>>('GET', withQuery(path, { ...filters, cursor: pageParam }), undefined, signal),
    initialPageParam: null as string | null, // the first page has no cursor
    getNextPageParam: (last) => last.nextCursor,
    enabled,
    ...(live ? { refetchInterval: 3000 } : {}),
  })
}
