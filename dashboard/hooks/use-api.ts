import { shallowEqual } from '@mantine/hooks'
import {
  hashKey,
  type InfiniteData,
  type QueryKey,
  replaceEqualDeep,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import { call, type Paged, withQuery } from '../api.ts'
import { isPagedBack } from '../refresh-changed.ts'

type Filters = Record<string, string | undefined>

/** The stream of changes keeps pages current; this is for changes whose notification was lost. */
export const pollMs = 20_000

/** Loads one thing. The path is the query key: whoever changes the thing invalidates the path. */
export function useOne<T>(
  path: string | null,
  everyMs?: number | ((value: T | undefined) => number | false),
  whileHidden = false,
) {
  return useQuery<T>({
    queryKey: [path],
    queryFn: ({ signal }) => call<T>('GET', path ?? '', undefined, signal),
    enabled: path !== null,
    ...(everyMs === undefined
      ? {}
      : {
          refetchIntervalInBackground: whileHidden,
          refetchInterval: (query) =>
            typeof everyMs === 'number' ? everyMs : everyMs(query.state.data as T | undefined), // T is what queryFn gives
        }),
  }) as UseQueryResult<T>
}

type ListOptions = {
  /** Poll now and then. */
  live?: boolean
  /** A list of what is the case now, and not of what has happened: it is kept current however much of it is shown. */
  ofNow?: boolean
  /** Loaded again whenever it is opened, even a moment after it was left: the news of a change may still be on its way. */
  fresh?: boolean
  enabled?: boolean
}

/** Loads a list, page by page with a cursor. */
export function useList<T, P extends Paged<T> = Paged<T>>(
  path: string,
  filters: Filters = {},
  { live = false, ofNow = false, fresh = false, enabled = true }: ListOptions = {},
) {
  return useInfiniteQuery<P, Error, InfiniteData<P>, QueryKey, string | null>({
    queryKey: [path, filters],
    queryFn: ({ pageParam, signal }) =>
      call<P>('GET', withQuery(path, { ...filters, cursor: pageParam }), undefined, signal),
    initialPageParam: null,
    getNextPageParam: (last) => last.nextCursor,
    enabled,
    meta: { ofNow },
    structuralSharing: keepItems,
    ...(fresh ? { staleTime: 0 } : {}),
    placeholderData: (rows, of) =>
      of && isSameExceptSearch(of.queryKey, [path, filters]) ? rows : undefined,
    refetchInterval: (query) => (live && !isPagedBack(query) ? pollMs : false),
  })
}

/** Rows stay visible while another text is searched or another order loads: a list that disappears with each letter cannot be read. */
function isSameExceptSearch(one: QueryKey, other: QueryKey): boolean {
  const withoutWords = ([path, filters]: QueryKey) =>
    hashKey([path, { ...(filters as Filters), q: undefined, sort: undefined }]) // a list's key
  return withoutWords(one) === withoutWords(other)
}

type Pages = InfiniteData<Paged<{ id?: string }>>

/** What did not change is the same object as before, even if it moved because of what is new above it: it is not rendered anew. */
function keepItems(before: unknown, after: unknown): unknown {
  const [former, { pages, pageParams }] = [before as Pages | undefined, after as Pages] // a list's data
  const known = new Map(itemsOf({ data: former }).map((item) => [item.id, item]))
  const kept = pages.map(({ items, ...rest }, at) => {
    const { items: formerItems, ...formerRest } = former?.pages[at] ?? {}
    const all = items.map((item) => replaceEqualDeep(known.get(item.id), item))
    const page = { ...replaceEqualDeep(formerRest, rest), items: either(formerItems, all) }
    return either(former?.pages[at], page)
  })
  return either(former, {
    pages: either(former?.pages, kept),
    pageParams: replaceEqualDeep(former?.pageParams, pageParams),
  })
}

/** The former one, if the other has the same parts. */
const either = <T>(former: T | undefined, other: T): T =>
  shallowEqual(former, other) ? (former as T) : other

/** The items of a list that are loaded so far. */
export function itemsOf<T>({ data }: { data?: { pages: { items: T[] }[] } | undefined }): T[] {
  return data?.pages.flatMap(({ items }) => items) ?? []
}
