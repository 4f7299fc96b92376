import { useNavigate, useSearch } from '@tanstack/react-router'

type Sortable<Row> = {
  name: string
  sort?: (row: Row) => string | number | null | undefined
  numeric?: boolean
}
type Table<Row> = {
  rows: Row[]
  columns: Sortable<Row>[]
  trouble?: (row: Row) => number
}
type Sorted = { name: string; down: boolean }

/** The rows in the order that the URL asks for; a link shows what its sender saw. */
export function useSorted<Row extends { id: string }>({
  rows,
  columns,
  trouble,
}: Table<Row>): [rows: Row[], sorted: Sorted | null, sortBy: (column: Sortable<Row>) => void] {
  const search: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const text = typeof search.sort === 'string' ? search.sort : undefined
  const setText = (next: string | undefined) =>
    void navigate({
      to: '.',
      search: (old: Record<string, unknown>) => ({ ...old, sort: next }),
      replace: true,
    })
  const name = text?.replace(/^-/, '')
  const column = columns.find((one) => one.sort && one.name === name)
  const sorted = column ? { name: column.name, down: text?.startsWith('-') ?? false } : null
  const sortBy = (next: Sortable<Row>) => {
    // The most first, then the least, then as before.
    const first = next.numeric ? `-${next.name}` : next.name
    const second = next.numeric ? next.name : `-${next.name}`
    setText(text === first ? second : text === second ? undefined : first)
  }
  if (!column?.sort || !sorted)
    return [trouble ? rows.toSorted((a, b) => trouble(b) - trouble(a)) : rows, null, sortBy]
  const keyOf = column.sort
  const ordered = rows.toSorted((a, b) => {
    const [x, y] = [keyOf(a) ?? null, keyOf(b) ?? null]
    if (x === null || y === null) return Number(x === null) - Number(y === null)
    const order =
      typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y), 'en')
    return sorted.down ? -order : order
  })
  return [ordered, sorted, sortBy]
}
