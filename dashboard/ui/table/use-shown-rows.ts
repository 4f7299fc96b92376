import { useNavigate, useSearch } from '@tanstack/react-router'

const pageSize = 100

/** The rows that are drawn if all are there already. In the URL, so that the way back leads to the same place in the list. */
export function useShownRows<Row>(
  rows: Row[],
  stepwise = false,
): [shown: Row[], showMore: (() => void) | null] {
  const { rows: wanted }: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const limit = stepwise ? Number(wanted) || pageSize : rows.length
  const showMore = () =>
    void navigate({
      to: '.',
      search: (old: Record<string, unknown>) => ({ ...old, rows: limit + pageSize }),
      replace: true,
    })
  return [rows.slice(0, limit), rows.length > limit ? showMore : null]
}
