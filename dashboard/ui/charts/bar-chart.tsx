import { Tooltip } from '@mantine/core'
import { formatNumber } from '../text/format-number.ts'
import classes from './bar-chart.module.css'

export type Series<Slot> = {
  name: string
  colour: string
  of: (slot: Slot) => number
  /** The value in words, if it is not the height of the bar. */
  text?: (slot: Slot) => string
}

type Props<Slot> = {
  slots: Slot[]
  label: (slot: Slot) => string
  series: Series<Slot>[]
  /** Written after each number; a currency before it. */
  unit?: string
  currency?: string
}

const plotHeight = 104

/** Few bars, a readable axis, exact values on hover. */
export function BarChart<Slot>({ slots, label, series, unit = '', currency = '' }: Props<Slot>) {
  const highest = Math.max(...slots.map((slot) => sum(series, slot)), 0)
  const top = niceTop(highest)
  const text = (slot: Slot) =>
    [
      label(slot),
      ...series.map(({ name, of, text }) => `${name} ${text?.(slot) ?? formatNumber(of(slot)) + unit}`),
    ].join(' · ')
  const dense = slots.length > 48
  return (
    // The numbers are in words beside it; the picture only adds their shape.
    <div className={classes.chart} aria-hidden>
      <div className={classes.axis} style={{ height: plotHeight }}>
        {highest > 0 && <span>{currency + short(top) + unit}</span>}
        {/* Half an event makes no sense. */}
        {highest > 0 && (top !== 1 || currency !== '') && <span>{currency + short(top / 2) + unit}</span>}
        <span>0</span>
      </div>
      <div className={classes.plot}>
        <div className={classes.bars} data-dense={dense || undefined} style={{ height: plotHeight }}>
          {slots.map((slot) => (
            <Tooltip key={label(slot)} label={text(slot)} openDelay={0}>
              <div className={classes.slot}>
                {series.map(({ name, colour, of }) => (
                  <div
                    key={name}
                    style={{ background: colour, height: `${(of(slot) / top) * 100}%` }}
                    className={classes.bar}
                  />
                ))}
              </div>
            </Tooltip>
          ))}
        </div>
        <div className={classes.labels}>
          {[slots[0], slots[Math.floor(slots.length / 2)], slots.at(-1)].map(
            (slot) => slot && <span key={label(slot)}>{label(slot)}</span>,
          )}
        </div>
      </div>
    </div>
  )
}

function sum<Slot>(series: Series<Slot>[], slot: Slot): number {
  return series.reduce((total, { of }) => total + of(slot), 0)
}

/** 1, 2, 5, 10, 20, 50 …: an axis that ends on a round number. */
function niceTop(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 4, 5, 10].map((step) => step * power).find((step) => step >= value) ?? value
}

function short(value: number): string {
  return new Intl.NumberFormat('en', {
    notation: 'compact',
    ...(value < 1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 1 }),
  }).format(value)
}
