import { useRef, useState } from 'react'

/** The ids of selected rows, kept by whoever shows the table. */
export type Selection = [ids: ReadonlySet<string>, setIds: (ids: ReadonlySet<string>) => void]

/** The rows that are selected, for an action on all of them. Rows that a search hides stay selected. */
export function useSelected<Row extends { id: string }>(rows: Row[], kept: Selection | undefined) {
  const own = useState<ReadonlySet<string>>(new Set())
  const [ids, setIds] = kept ?? own
  const last = useRef<string | null>(null)
  const toggle = (id: string | undefined, range: boolean) => {
    if (id === undefined) return
    const [from, to] = [
      rows.findIndex((row) => row.id === last.current),
      rows.findIndex((row) => row.id === id),
    ]
    const chosen = range && from >= 0 ? rows.slice(Math.min(from, to), Math.max(from, to) + 1) : [{ id }]
    last.current = id
    const some = new Set(chosen.map((row) => row.id))
    setIds(ids.has(id) ? ids.difference(some) : ids.union(some))
  }
  const all = new Set(rows.map(({ id }) => id))
  const selected = rows.filter(({ id }) => ids.has(id))
  return {
    selected,
    toggle,
    toggleAll: () => setIds(selected.length === rows.length ? ids.difference(all) : ids.union(all)),
    clear: () => setIds(new Set()),
  }
}
