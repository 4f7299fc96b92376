import { Box } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorAlert } from './error-alert.tsx'
import { Loading } from './loading.tsx'

type Props<T> = {
  query: { data: T | undefined; error: Error | null; refetch: () => Promise<unknown> }
  rows?: number
  /** In the shape of the content, if rows are not. */
  loading?: ReactNode
  children: (value: T) => ReactNode
}

/** Loading, failed or filled. Loaded data stays on screen while a later read fails; if it was deleted meanwhile, that is said. */
export function QueryView<T>({ query, rows, loading, children }: Props<T>) {
  if (query.data !== undefined) {
    return (
      <>
        {isGone(query.error) && (
          <Box mb="lg">
            <ErrorAlert error={query.error} />
          </Box>
        )}
        {children(query.data)}
      </>
    )
  }
  if (query.error) return <ErrorAlert error={query.error} retry={() => void query.refetch()} />
  return loading ?? <Loading {...(rows ? { rows } : {})} />
}

function isGone(error: Error | null): boolean {
  return error !== null && 'status' in error && error.status === 404
}
