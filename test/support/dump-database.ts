import type pg from 'pg'

type Cell = { table: string; column: string; text: string }

/** Every value of every table as text. */
export async function dumpDatabase(pool: pg.Pool): Promise<Cell[]> {
  const { rows: columns } = await pool.query<{ schema: string; table: string; column: string }>(`
    select table_schema as schema, table_name as table, column_name as column from information_schema.columns
    where table_schema in ('public', 'jobs')`)
  const cells: Cell[] = []
  for (const { schema, table, column } of columns) {
    const { rows } = await pool.query<{ text: string | null }>(
      `select distinct "${column}"::text as text from "${schema}"."${table}"`,
    )
    cells.push(...rows.map(({ text }) => ({ table, column, text: text ?? '' })))
    // bytea reads as hex, so its decoded text is included too.
    cells.push(
      ...rows
        .filter(({ text }) => text?.startsWith('\\x'))
        .map(({ text }) => ({ table, column, text: Buffer.from(text?.slice(2) ?? '', 'hex').toString() })),
    )
  }
  return cells
}
