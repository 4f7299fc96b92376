import { type SourceFile, withoutComments } from './read-module.ts'
import { sliceOf } from './slices.ts'
import { tables } from './tables.ts'

type Use = { table: string; slice: string; path: string }

/** The slices that write and read a table in SQL, as far as the text shows it. */
export function tableUse(files: readonly SourceFile[]): { writes: Use[]; reads: Use[] } {
  const find = (pattern: RegExp) =>
    files
      .filter(({ path }) => path.startsWith('src/'))
      .flatMap(({ path, text }) =>
        [...withoutComments(text).matchAll(pattern)].map(([, table = '']) => ({
          table,
          slice: sliceOf(path),
          path,
        })),
      )
  return {
    writes: find(
      /\b(?:insert\s+into|update|delete\s+from)\s+(?!if\b)([a-z_]+)\b(?=\s*(?:\(|set\b|where\b|as\b|using\b|select\b|[a-z_]+\s+set\b|`))/g,
    ),
    reads: find(/(?<!\bdelete\s+)\b(?:from|join|using)\s+([a-z_]+)\b(?!')/g).filter(({ table }) =>
      Object.hasOwn(tables, table),
    ),
  }
}

/** What src does with tables and test/support/tables.ts does not list. */
export function checkTableUse(files: readonly SourceFile[]): { path: string; says: string }[] {
  const { writes, reads } = tableUse(files)
  return [
    ...writes
      .filter(({ table }) => !Object.hasOwn(tables, table))
      .map(({ path, table }) => ({
        path,
        says: `writes ${table}, which test/support/tables.ts does not list`,
      })),
    ...reads
      .filter(({ table, slice }) => {
        const listed = tables[table]
        return slice !== listed?.writer && !listed?.readers.includes(slice)
      })
      .map(({ path, table, slice }) => ({
        path,
        says: `reads ${table}: if ${slice} really needs it, list it as a reader in test/support/tables.ts`,
      })),
  ]
}
