import { useRef, useState } from 'react'

/** The rows that are selected for an action on all of them. */
export function useSelected<Row extends { id: string }>(rows: Row[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<string | null>(null)
  const toggle = (id: string | undefined, range: boolean) => {
    if (id === undefined) return
    const [from, to] = [
      rows.findIndex((row) => row.id === last.current),
      rows.findIndex((row) => row.id === id),
    ]
    const chosen = range && from >= 0 ? rows.slice(Math.min(from, to), Math.max(from, to) + 1) : [{ id }]
    last.current = id
    setIds((before) => {
      const after = new Set(before)
      for (const row of chosen) before.has(id) ? after.delete(row.id) : after.add(row.id)
      return after
    })
  }
  const selected = rows.filter(({ id }) => ids.has(id))
  return {
    selected,
    toggle,
    toggleAll: () => setIds(selected.length === rows.length ? new Set() : new Set(rows.map(({ id }) => id))),
    clear: () => setIds(new Set()),
  }
}
