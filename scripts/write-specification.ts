import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { groups, type Requirement, requirements } from '../test/requirements.ts'

export const specificationFile = join(import.meta.dirname, '../docs/specification.md')

/** docs/specification.md, from the table that the tests cite. */
export function specificationPage(): string {
  const rows: [string, Requirement][] = Object.entries(requirements)
  const sections = Object.entries(groups).map(([group, title]) => {
    const lines = rows
      .filter(([id]) => id.startsWith(`${group}:`))
      .map(([id, { says, from }]) => `| \`${id}\` | ${says.replace(/[|_*<]/g, '\\$&')} | ${from} |`)
    return `## ${title}\n\n| id | what holds | decided by |\n|---|---|---|\n${lines.join('\n')}\n`
  })
  return `${introduction}\n${sections.join('\n')}`
}

const introduction = `# What Bellhop promises

Each row is one testable statement: of the service specification (\`spec\`, by section), of the answers to what it leaves open
(\`product\`, by section), of the security policy (\`security\`, by letter), of the architecture, style and dependency rules, or of
the performance goals. A test cites the id of the row that it proves; \`node --test test/coverage.test.ts\` lists the rows that
no test proves yet.

This page is written from \`test/requirements.ts\` by \`node scripts/write-specification.ts\`. Change the table, not the page.
`

if (import.meta.main) writeFileSync(specificationFile, specificationPage())
