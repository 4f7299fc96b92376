import { useNavigate, useSearch } from '@tanstack/react-router'

type Sortable<Row> = {
  name: string
  sort?: string | ((row: Row) => string | number | null | undefined)
  numeric?: boolean
}
type Table<Row> = {
  rows: Row[]
  columns: Sortable<Row>[]
  trouble?: (row: Row) => number
}
/** By the column of this name; without `down`, as its next click does. Null: as before. */
type SortBy = (name: string | null, down?: boolean) => void
type Sorted = { name: string; down: boolean; byServer: boolean }

/** The order that the URL asks for, such as `-Name`. */
export function useSort(): string | undefined {
  const { sort }: Record<string, unknown> = useSearch({ strict: false })
  return typeof sort === 'string' ? sort : undefined
}

/** The rows in the order that the URL asks for; a link shows what its sender saw. */
export function useSorted<Row extends { id: string }>({
  rows,
  columns,
  trouble,
}: Table<Row>): [rows: Row[], sorted: Sorted | null, sortBy: SortBy] {
  const navigate = useNavigate()
  const text = useSort()
  const setText = (next: string | undefined) =>
    void navigate({
      to: '.',
      search: (old: Record<string, unknown>) => ({ ...old, sort: next }),
      replace: true,
    })
  const key = text?.replace(/^-/, '')
  const column = columns.find((one) => one.sort && keyOf(one) === key)
  const readValue = column?.sort
  const sorted = column
    ? { name: column.name, down: text?.startsWith('-') ?? false, byServer: typeof readValue === 'string' }
    : null
  const sortBy: SortBy = (name, isDown) => {
    const next = columns.find((one) => one.name === name)
    if (!next) return setText(undefined)
    // The most first, then the least, then as before.
    const [up, down] = [keyOf(next), `-${keyOf(next)}`]
    if (isDown !== undefined) return setText(isDown ? down : up)
    const isDownFirst = next.numeric || (typeof next.sort === 'string' && next.sort.startsWith('-'))
    const [first, second] = isDownFirst ? [down, up] : [up, down]
    setText(text === first ? second : text === second ? undefined : first)
  }
  if (!readValue || !sorted)
    return [trouble ? rows.toSorted((a, b) => trouble(b) - trouble(a)) : rows, null, sortBy]
  if (typeof readValue === 'string') return [rows, sorted, sortBy]
  const ordered = rows.toSorted((a, b) => {
    const [x, y] = [readValue(a) ?? null, readValue(b) ?? null]
    if (x === null || y === null) return Number(x === null) - Number(y === null)
    const order =
      typeof x === 'number' && typeof y === 'number'
        ? x - y
        : String(x).localeCompare(String(y), 'en', { numeric: true })
    return sorted.down ? -order : order
  })
  return [ordered, sorted, sortBy]
}

/** What the URL calls the column. */
function keyOf<Row>({ name, sort }: Sortable<Row>): string {
  return typeof sort === 'string' ? sort.replace(/^-/, '') : name
}
