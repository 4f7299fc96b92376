import { useHotkeys } from '@mantine/hooks'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import classes from './data-table.module.css'

export type Column<Row> = {
  name: string
  cell: (row: Row) => ReactNode
  /** Right-aligned, so that numbers can be compared. */
  numeric?: boolean
  /** Text of any length: takes the remaining width and is truncated. */
  grow?: boolean
  /** Shown completely, in as many lines as needed. */
  whole?: boolean
  /** Hidden on narrow windows, or on all but wide ones; or shown below the first column there, which is never hidden. */
  narrow?: 'hide' | 'wide-only' | 'below'
}

type Props<Row> = {
  label: string
  rows: Row[]
  columns: Column<Row>[]
  /** Where a click anywhere on the row leads. */
  rowHref?: (row: Row) => string | undefined
}

/** Rows open on click anywhere, or by `j`, `k` and `Enter`. */
export function DataTable<Row extends { id: string }>({ label, rows, columns, rowHref }: Props<Row>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const navigate = useNavigate()
  const below = columns.filter(({ narrow }) => narrow === 'below')
  const move = (by: 1 | -1) => {
    const links = [...(body.current?.querySelectorAll<HTMLElement>('[data-row-link]') ?? [])]
    const at = links.indexOf(document.activeElement as HTMLElement) // -1 when the focus is elsewhere
    links[Math.min(Math.max(at + by, 0), links.length - 1)]?.focus()
  }
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
  ])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={classes.scroll} aria-label={label} tabIndex={0}>
      <table className={classes.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                data-numeric={column.numeric || undefined}
                data-narrow={column.narrow}
                data-grow={column.grow || undefined}
              >
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row) => {
            const href = rowHref?.(row)
            return (
              <tr
                key={row.id}
                data-link={href ? true : undefined}
                onClick={(event) => {
                  const target = event.target as HTMLElement // clicks inside a document come from elements
                  const selecting = (getSelection()?.toString() ?? '') !== ''
                  if (!href || selecting || target.closest('a,button,input,label,[role=menuitem]')) return
                  if (event.metaKey || event.ctrlKey) open(linkOf(event.currentTarget))
                  else void navigate({ to: href })
                }}
              >
                {columns.map((column, at) => (
                  <td
                    key={column.name}
                    data-numeric={column.numeric || undefined}
                    data-narrow={column.narrow}
                    data-grow={column.grow || undefined}
                    data-whole={column.whole || undefined}
                    data-name={column.name}
                  >
                    {at === 0 && href ? (
                      <Link to={href} data-row-link className={classes.link}>
                        {column.cell(row)}
                      </Link>
                    ) : at === 0 ? (
                      <span>{column.cell(row)}</span>
                    ) : (
                      column.cell(row)
                    )}
                    {at === 0 && below.length > 0 && (
                      <div className={classes.below}>
                        {below.map((other) => (
                          <span key={other.name}>{other.cell(row)}</span>
                        ))}
                      </div>
                    )}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

/** The target of the row's own link, as the browser resolves it. */
function linkOf(row: HTMLElement): string | undefined {
  return row.querySelector<HTMLAnchorElement>('a[data-row-link]')?.href
}
