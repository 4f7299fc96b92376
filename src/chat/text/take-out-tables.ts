import { csvCell } from '../../shared/csv-cell.ts'
import { readBlocks } from './read-blocks.ts'

/** Nobody reads more rows than this in a chat. */
const mostRows = 100
const shownRows = 10

/** Large tables become CSV; of each, its first rows stay in the text with the name of its file. */
export function takeOutTables(
  markdown: string,
  nameOf: (number: number) => string,
): { text: string; files: { name: string; text: string }[] } {
  const files: { name: string; text: string }[] = []
  const text = readBlocks(markdown)
    .map(({ kind, lines, gap }, index) => {
      const before = index === 0 ? '\n'.repeat(gap) : '\n'.repeat(gap + 1)
      const [head = '', rule = '', ...rows] = lines
      if (kind !== 'table' || rows.length <= mostRows || !isRule(rule)) return before + lines.join('\n')
      const name = nameOf(files.length + 1)
      files.push({
        name,
        text: [head, ...rows].map((row) => `${cellsOf(row).map(csvCell).join(',')}\r\n`).join(''),
      })
      const shown = [head, rule, ...rows.slice(0, shownRows)].join('\n')
      return `${before}${shown}\n\n_The first ${shownRows} of ${rows.length} rows. All of them are in ${name}._`
    })
    .join('')
  return files.length === 0 ? { text: markdown, files } : { text, files }
}

function isRule(line: string): boolean {
  return cellsOf(line).every((cell) => /^:?-+:?$/.test(cell))
}

/** Without the bars around them; a bar after a backslash is part of a cell. */
function cellsOf(row: string): string[] {
  const inner = row
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
}
