import { z } from 'zod'

/**
 * Lists go from newest to oldest and continue after an id: ids sort by time, so no row is skipped or repeated when others are added.
 *
 *     query: pageQuery.extend({ status: … })          returns: pageOf(webhookShape)
 *     select … where ${allOf([cursor && sql`id < ${cursor}`, …])} order by id desc limit ${limit + 1}
 *     return toPage(rows, limit)
 *
 * The one row more tells whether there is a next page.
 */
export const pageQuery = z.object({
  limit: z.coerce
    .number('must be a number from 1 to 100')
    .int()
    .min(1, 'must be 1 or more')
    .max(100, 'must be 100 or less')
    .default(50),
  /** On the wire an opaque text from `nextCursor`; parsed, the id to continue after, in a sorted list with its place. */
  cursor: z.string().transform(readCursor).optional(),
})

/** `q` of a list: part of a name, in any case. */
export const searchText = z.string().trim().max(80, 'may have 80 characters at most').optional()

/** The start or end of a list in time. Parsed to a Date, since PostgreSQL accepts fewer formats than JavaScript. */
export const searchTime = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-01-31T12:00:00Z' })
  .transform((text) => new Date(text))
  .optional()

export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() })
}

/** For lists that are searched in steps: a page may hold few rows or none and still have a next one. */
export function searchedPageOf<T extends z.ZodType>(item: T) {
  return pageOf(item).extend({ searchedBackTo: z.iso.datetime().optional() })
}

export type Page<T> = { items: T[]; nextCursor: string | null }

/** `rows` were asked for with `limit + 1`. `reached` is how far an unfinished search got. */
export function toPage<T extends { id: string }>(
  rows: readonly T[],
  limit: number,
  reached: { id: string } | null = null,
): Page<T> {
  const items = rows.slice(0, limit)
  const last = rows.length > limit ? items.at(-1) : reached
  return { items, nextCursor: last ? writeCursor(last.id) : null }
}

/**
 * For a list in another order than that of its ids: what it is sorted by is in the cursor, too, since whoever asks for the next page
 * goes on there even if the row is deleted by then.
 */
export function toSortedPage<T extends { id: string }>(
  rows: readonly T[],
  limit: number,
  placeOf: (row: T) => number,
): Page<T> {
  const { items, nextCursor } = toPage(rows, limit)
  const last = items.at(-1)
  return { items, nextCursor: nextCursor && last ? writeCursor(`${last.id}@${placeOf(last)}`) : null }
}

/** Null for a cursor of another list. */
export function readPlace(cursor: string): { id: string; place: number } | null {
  const [id = '', place] = cursor.split('@')
  return place === undefined ? null : { id, place: Number(place) }
}

function writeCursor(place: string): string {
  return btoa(place).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

function readCursor(text: string, check: z.RefinementCtx): string {
  try {
    const place = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    if (/^[a-z]+_[\w-]+(@-?\d+(\.\d+)?(e[+-]?\d+)?)?$/.test(place)) return place
  } catch {
    // Not base64. The complaint is the same as for any text that is not one of our cursors.
  }
  check.addIssue('is not a cursor of this list; use the nextCursor of the page before, or leave it out')
  return z.NEVER
}
