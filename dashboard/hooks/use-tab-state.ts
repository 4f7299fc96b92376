import { type QueryKey, useQuery } from '@tanstack/react-query'

/** State that only this tab knows: written with `setQueryData`, and never loaded from the server. */
export function useTabState<T>(queryKey: QueryKey, initial: T): T {
  const { data } = useQuery<T>({
    queryKey,
    queryFn: () => initial,
    initialData: () => initial,
    enabled: false,
    gcTime: 10 * 60_000,
  })
  return data ?? initial
}
