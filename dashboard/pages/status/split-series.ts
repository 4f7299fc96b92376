import type { Stats } from '../../contract.ts'
import type { Series } from '../../ui/charts/bar-chart.tsx'
import type { Slot } from './slots.ts'
import { sourceLabel } from './source-label.ts'

export type Split = 'webhook' | 'model'
type Part = { name: string; values: number[]; weight: number }

const colours = [
  'var(--series-1)',
  'var(--series-2)',
  'var(--series-3)',
  'var(--series-4)',
  'var(--series-5)',
]

/** Cost or tokens, stacked by webhook or model: the largest by name, and the others together. */
export function splitSeries(
  stats: Stats,
  split: Split,
  what: 'cost' | 'tokens',
  text: (value: number) => string,
): Series<Slot>[] {
  const parts: Part[] =
    split === 'model'
      ? stats.byModel.map(({ model, perHour }) => ({
          name: model,
          values: perHour[what],
          weight: total(perHour.tokens),
        }))
      : stats.byWebhook.map((row) => ({
          name: sourceLabel(row),
          values: row.perHour[what],
          weight: total(row.perHour.tokens),
        }))
  // In one order for both, so that a colour means the same.
  const sorted = parts.filter(({ values }) => total(values) > 0).toSorted((a, b) => b.weight - a.weight)
  const [largest, others] = [sorted.slice(0, colours.length), sorted.slice(colours.length)]
  const seriesOf = (name: string, colour: string, of: (slot: Slot) => number): Series<Slot> => ({
    name,
    colour,
    of,
    text: (slot) => text(of(slot)),
  })
  return [
    ...largest.map(({ name, values }, at) =>
      seriesOf(name, colours[at] ?? 'var(--series-other)', ({ index }) => values[index] ?? 0),
    ),
    ...(others.length > 0
      ? [
          seriesOf(`${others.length} others`, 'var(--series-other)', ({ index }) =>
            others.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
          ),
        ]
      : []),
  ]
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
