import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { csvCell } from '../../shared/csv-cell.ts'
import type { Statistics } from '../open-statistics.ts'
import { type Figure, figuresShape, groupings } from './contract.ts'

const define = endpoint<{ statistics: Statistics }>()

const query = z.object({
  by: z.enum(groupings, `must be one of ${groupings.join(', ')}`),
  days: z.coerce
    .number('must be a number from 1 to 90')
    .int()
    .min(1, 'must be 1 or more')
    .max(90, 'must be 90 or less')
    .default(30),
})

export const readFiguresBy = define({
  summary:
    'Figures by webhook, schedule, tool, model, channel or revision: calls, failures, time, cost, approvals and thumbs',
  query,
  returns: figuresShape,
  answer: (ctx, { query }) => ctx.statistics.figures(query),
})

const columns: [name: string, value: (row: Figure) => string | number | null][] = [
  ['name', ({ name }) => name],
  ['id', ({ id }) => id],
  ['calls', ({ calls }) => calls],
  ['failed', ({ failed }) => failed],
  ['p95_seconds', ({ p95Seconds }) => p95Seconds],
  ['cost_usd', ({ cost }) => cost],
  ['approvals_asked', ({ approvals }) => approvals.asked],
  ['approvals_denied', ({ approvals }) => approvals.denied],
  ['thumbs_up', ({ thumbs }) => thumbs.up],
  ['thumbs_down', ({ thumbs }) => thumbs.down],
]

export const downloadFigures = define({
  summary: 'Download the figures as CSV',
  query,
  mediaType: 'text/csv',
  async answer(ctx, { query }) {
    const { items } = await ctx.statistics.figures(query)
    const rows = [
      columns.map(([name]) => name),
      ...items.map((row) => columns.map(([, value]) => value(row))),
    ]
    const lines = rows.map((row) => row.map((cell) => csvCell(String(cell ?? ''))).join(','))
    return new Response(`${lines.join('\r\n')}\r\n`, {
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="figures-by-${query.by}.csv"`,
        'x-content-type-options': 'nosniff',
      },
    })
  },
})
