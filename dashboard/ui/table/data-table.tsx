import { Button, Checkbox, Group, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, type SyntheticEvent, useRef } from 'react'
import { ColumnChoice } from './column-choice.tsx'
import classes from './data-table.module.css'
import { SortMenu } from './sort-menu.tsx'
import { useFits } from './use-fits.ts'
import { type Selection, useSelected } from './use-selected.ts'
import { useShownRows } from './use-shown-rows.ts'
import { useSorted } from './use-sorted.ts'
import { useToggledColumns } from './use-toggled-columns.ts'
import { useWholeList } from './use-whole-list.ts'

export type Column<Row> = {
  name: string
  cell: (row: Row) => ReactNode
  /** By what the rows can be sorted; null comes last. A name: the server has sorted them, and that is what it calls this; with `-` the first click sorts downwards. */
  sort?: string | ((row: Row) => string | number | null | undefined)
  /** Right-aligned, so that numbers can be compared. */
  numeric?: boolean
  /** Text of any length: takes the remaining width, or `little` of it beside another one, and is truncated. */
  grow?: boolean | 'little'
  /** Shown completely, in as many lines as needed. */
  whole?: boolean
  /** Hidden on narrow windows, or on all but wide ones; or shown below the first column there, which is never hidden. */
  narrow?: 'hide' | 'wide-only' | 'below'
  /** Shown once somebody chooses it. */
  optional?: boolean
  /** Of buttons that say themselves what they do: the name is for screen readers. */
  quiet?: boolean
}

type Props<Row> = {
  label: string
  rows: Row[]
  columns: Column<Row>[]
  /** Where a click anywhere on the row leads. */
  rowHref?: (row: Row) => string | undefined
  /** What can be done with selected rows; call `clear` when it is done. */
  bulk?: ((rows: Row[], clear: () => void) => ReactNode) | undefined
  /** Where the selection is not for an action here, but part of what a form saves. */
  selection?: Selection
  /** All rows are there, maybe a thousand: they are sorted as a whole and drawn a hundred at a time. */
  stepwise?: boolean
  /** The name of a row, for its checkbox. */
  rowName?: (row: Row) => string
  /** Unless a column is chosen, rows with a higher number come first. */
  trouble?: (row: Row) => number
  /** False beside a list that has the same keys. */
  keys?: boolean
}

/** With so few columns there is nothing to choose. */
const few = 4

/**
 * Rows open on click anywhere, or by `j`, `k` and `Enter`; `x` selects one. Columns are sorted by a click on their name: by the
 * server, or among the rows, all of which a `whole` ListView loads.
 */
export function DataTable<Row extends { id: string }>(props: Props<Row>) {
  const { label, rowHref, bulk, rowName = ({ id }: Row) => id, selection, keys = true } = props
  const [toggled, setToggled] = useToggledColumns(label)
  const columns = props.columns.filter(
    ({ name, optional = false }, at) => at === 0 || toggled.includes(name) === optional,
  )
  const mayChoose = props.columns.length > few
  const box = useRef<HTMLElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const navigate = useNavigate()
  const [rows, sorted, sortBy] = useSorted(props)
  const isPart = useWholeList(sorted !== null && !sorted.byServer, rows.length)
  const fits = useFits(box)
  const { selected, toggle, toggleAll, clear } = useSelected(rows, selection)
  const [shown, showMore] = useShownRows(rows, props.stepwise)
  const sortable = props.columns.flatMap(({ name, sort }) => (sort ? [name] : []))
  const below = columns.filter(({ narrow }) => narrow === 'below')
  const links = () => [...(body.current?.querySelectorAll<HTMLElement>('[data-row-link]') ?? [])]
  const focused = () => links().indexOf(document.activeElement as HTMLElement) // -1 when the focus is elsewhere
  const move = (by: 1 | -1) => {
    const all = links()
    all[Math.min(Math.max(focused() + by, 0), all.length - 1)]?.focus()
  }
  const hotkeys: Parameters<typeof useHotkeys>[0] = [
    ['j', () => move(1)],
    ['k', () => move(-1)],
  ]
  if (bulk)
    hotkeys.push(
      ['x', () => toggle(rows[focused()]?.id, false)],
      ['Escape', clear, { preventDefault: false }],
    )
  useHotkeys(keys ? hotkeys : [])
  return (
    <>
      {bulk && selected.length > 0 && (
        <section className={classes.bulk} aria-label="Selection">
          <b>{selected.length} selected</b>
          {bulk(selected, clear)}
          <UnstyledButton className={classes.clear} onClick={clear}>
            Clear selection
          </UnstyledButton>
        </section>
      )}
      {sortable.length > 0 && <SortMenu names={sortable} sorted={sorted} onChange={sortBy} />}
      {isPart && (
        <Text size="xs" c="dimmed" role="status">
          Sorted among the {rows.length} entries shown
        </Text>
      )}
      <div className={classes.frame}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
        <section ref={box} className={classes.scroll} data-fits={fits} aria-label={label} tabIndex={0}>
          <table className={classes.table} aria-label={label}>
            <thead>
              <tr>
                {bulk && (
                  <th className={classes.select} data-needed={selection && true} scope="col">
                    <Checkbox
                      size="xs"
                      aria-label="Select all rows"
                      checked={selected.length === rows.length}
                      indeterminate={selected.length > 0 && selected.length < rows.length}
                      onChange={toggleAll}
                    />
                  </th>
                )}
                {columns.map((column) => (
                  <th
                    key={column.name}
                    scope="col"
                    data-numeric={column.numeric || undefined}
                    data-narrow={column.narrow}
                    data-grow={column.grow}
                    aria-sort={
                      sorted?.name === column.name ? (sorted.down ? 'descending' : 'ascending') : undefined
                    }
                  >
                    {column.sort ? (
                      <UnstyledButton className={classes.sort} onClick={() => sortBy(column.name)}>
                        {column.name}
                        {sorted?.name === column.name &&
                          (sorted.down ? (
                            <IconArrowDown size="0.75rem" aria-hidden />
                          ) : (
                            <IconArrowUp size="0.75rem" aria-hidden />
                          ))}
                      </UnstyledButton>
                    ) : column.quiet ? (
                      <VisuallyHidden>{column.name}</VisuallyHidden>
                    ) : (
                      column.name
                    )}
                  </th>
                ))}
                {mayChoose && (
                  <th className={classes.choice} scope="col">
                    <ColumnChoice columns={props.columns.slice(1)} toggled={toggled} onChange={setToggled} />
                  </th>
                )}
              </tr>
            </thead>
            <tbody ref={body} onMouseOver={tellCutText} onFocus={tellCutText}>
              {shown.map((row) => {
                const href = rowHref?.(row)
                const isSelected = selected.includes(row)
                return (
                  <tr
                    key={row.id}
                    data-link={href ? true : undefined}
                    data-selected={isSelected || undefined}
                    onClick={(event) => {
                      const target = event.target as HTMLElement // clicks inside a document come from elements
                      const selecting = (getSelection()?.toString() ?? '') !== ''
                      if (!href || selecting || target.closest('a,button,input,label,[role=menuitem]')) return
                      if (event.metaKey || event.ctrlKey) open(linkOf(event.currentTarget))
                      else void navigate({ to: href })
                    }}
                  >
                    {bulk && (
                      <td className={classes.select} data-needed={selection && true}>
                        <Checkbox
                          size="xs"
                          aria-label={`Select ${rowName(row)}`}
                          checked={isSelected}
                          onChange={() => undefined}
                          onClick={(event) => toggle(row.id, event.shiftKey)}
                        />
                      </td>
                    )}
                    {columns.map((column, at) => (
                      <td
                        key={column.name}
                        data-numeric={column.numeric || undefined}
                        data-narrow={column.narrow}
                        data-grow={column.grow}
                        data-whole={column.whole || undefined}
                        data-first={at === 0 || undefined}
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
                    {mayChoose && <td className={classes.choice} aria-hidden />}
                  </tr>
                )
              })}
            </tbody>
          </table>
        </section>
      </div>
      {showMore && (
        <Group justify="center">
          <Button variant="default" onClick={showMore}>
            Show more
          </Button>
        </Group>
      )}
    </>
  )
}

/** The target of the row's own link, as the browser resolves it. */
function linkOf(row: HTMLElement): string | undefined {
  return row.querySelector<HTMLAnchorElement>('a[data-row-link]')?.href
}

/** A cell that does not fit says all of it on hover. */
function tellCutText({ target }: SyntheticEvent): void {
  const cell = (target as HTMLElement).closest('td') // what is hovered or focused in a document is an element
  if (!cell) return
  const isCut = [cell, ...cell.querySelectorAll<HTMLElement>('*')].some(
    ({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth,
  )
  if (isCut) cell.title = cell.textContent ?? ''
  else cell.removeAttribute('title')
}
