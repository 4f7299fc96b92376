import { Anchor, UnstyledButton } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { formatCompact, formatNumber } from '../text/format-number.ts'
import classes from './bar-chart.module.css'

export type Series<Slot> = {
  name: string
  colour: string
  of: (slot: Slot) => number
  /** The value in words, if it is not the height of the bar. */
  text?: (slot: Slot) => string
}

type Props<Slot> = {
  /** The accessible name. */
  title: string
  slots: Slot[]
  label: (slot: Slot) => string
  series: Series<Slot>[]
  /** Written after each number; a currency before it. */
  unit?: string
  currency?: string
  /** The list that a bar counts. */
  href?: ((slot: Slot) => string | undefined) | undefined
  /** Bars can be selected, one by a click and several by dragging; instead of `href`. */
  onRange?: (first: Slot, last: Slot) => void
  isSelected?: (slot: Slot) => boolean
  /** A limit, as a dashed line. */
  line?: { value: number; label: string } | undefined
  /** What all the bars of each slot were the time before, as a faint line. */
  before?:
    | { short: string; name: string; values: readonly number[]; text: (value: number) => string }
    | undefined
  plotHeight?: number
  /** What a click does, where it is not obvious. */
  hint?: string
}

/** Few bars, a readable axis, exact values on hover, touch and arrow keys. */
export function BarChart<Slot>(props: Props<Slot>) {
  const { title, slots, label, series, unit = '', currency = '', href, onRange, isSelected, line } = props
  const { plotHeight = 104, hint, before } = props
  const navigate = useNavigate()
  const [hidden, setHidden] = useState<readonly string[]>([])
  const [at, setAt] = useState<number | null>(null)
  const [from, setFrom] = useState<number | null>(null)
  const shown = series.filter(({ name }) => !hidden.includes(name))
  // A part of the bars compares with nothing.
  const compared = before && shown.length === series.length && !hidden.includes(before.short) ? before : null
  const highest = Math.max(
    ...slots.map((slot) => sum(shown, slot)),
    ...(compared?.values ?? []),
    line?.value ?? 0,
    0,
  )
  const top = niceTop(highest)
  const slot = at === null ? undefined : slots[at]
  const textOf = ({ of, text }: Series<Slot>, one: Slot) =>
    text?.(one) ?? currency + formatNumber(of(one)) + unit
  const textBefore = (index: number) => compared?.text(compared.values[index] ?? 0)
  const inWords = (one: Slot, index: number) =>
    [
      label(one),
      ...shown.map((each) => `${each.name} ${textOf(each, one)}`),
      ...(compared ? [`${compared.name} ${textBefore(index)}`] : []),
    ].join(' · ')
  const slotUnder = (event: PointerEvent<HTMLElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    return clamp(Math.floor(((event.clientX - left) / width) * slots.length), slots.length)
  }
  const choose = (first: number, last: number) => {
    const [begin, end] = [slots[Math.min(first, last)], slots[Math.max(first, last)]]
    if (begin === undefined || end === undefined) return
    const to = href?.(begin)
    if (onRange) onRange(begin, end)
    else if (to) void navigate({ to })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = {
      ArrowRight: (at ?? -1) + 1,
      ArrowLeft: (at ?? slots.length) - 1,
      Home: 0,
      End: slots.length - 1,
    }
    const next = moves[event.key]
    if (next !== undefined) {
      event.preventDefault()
      setAt(clamp(next, slots.length))
    } else if (event.key === 'Enter' && at !== null) choose(at, at)
  }
  const within = (index: number) =>
    from !== null && at !== null && index >= Math.min(from, at) && index <= Math.max(from, at)
  const to = slot === undefined ? undefined : href?.(slot)
  return (
    <div className={classes.whole}>
      <div className={classes.chart}>
        <div className={classes.axis} style={{ height: plotHeight }} aria-hidden>
          {highest > 0 && <span>{currency + formatCompact(top) + unit}</span>}
          {/* Half an event makes no sense. */}
          {highest > 0 && (top !== 1 || currency !== '') && (
            <span>{currency + formatCompact(top / 2) + unit}</span>
          )}
          <span>0</span>
        </div>
        <div className={classes.plot}>
          <div
            className={classes.bars}
            data-dense={slots.length > 48 || undefined}
            data-clickable={href || onRange ? true : undefined}
            style={{ height: plotHeight }}
            role="slider"
            tabIndex={0}
            aria-label={title}
            aria-valuemin={0}
            aria-valuemax={Math.max(slots.length - 1, 0)}
            aria-valuenow={at ?? slots.length - 1}
            aria-valuetext={
              slot === undefined || at === null ? 'Use the arrow keys to read the values' : inWords(slot, at)
            }
            onKeyDown={onKeyDown}
            onBlur={() => setAt(null)}
            onPointerMove={(event) => setAt(slotUnder(event))}
            onPointerLeave={(event) => event.pointerType !== 'touch' && from === null && setAt(null)}
            onPointerDown={(event) => {
              const index = slotUnder(event)
              setAt(index)
              if (!onRange || event.button !== 0) return
              event.currentTarget.setPointerCapture(event.pointerId)
              setFrom(index)
            }}
            onPointerCancel={() => setFrom(null)}
            onPointerUp={(event) => {
              const index = slotUnder(event)
              if (event.button !== 0) return
              setFrom(null)
              // A finger reads the values first; the link beside them leads on.
              if (onRange) choose(from ?? index, index)
              else if (event.pointerType !== 'touch') choose(index, index)
            }}
          >
            {slots.map((one, index) => (
              <div
                key={label(one)}
                className={classes.slot}
                data-active={index === at || within(index) || undefined}
                data-out={(isSelected && !isSelected(one)) || undefined}
              >
                {shown.map(({ name, colour, of }) => {
                  const height = (of(one) / top) * 100
                  return height > 0 ? (
                    <div
                      key={name}
                      style={{ background: colour, height: `${height}%` }}
                      className={classes.bar}
                    />
                  ) : null
                })}
              </div>
            ))}
            {compared && highest > 0 && (
              <svg
                className={classes.before}
                viewBox={`0 0 ${slots.length} ${top}`}
                preserveAspectRatio="none"
                aria-hidden
              >
                <path d={steps(compared.values, top)} vectorEffect="non-scaling-stroke" />
              </svg>
            )}
            {line && (
              <div className={classes.line} style={{ bottom: `${(line.value / top) * 100}%` }}>
                <span>{line.label}</span>
              </div>
            )}
          </div>
          {slot !== undefined && at !== null && (
            <div
              className={classes.values}
              style={{ ['--at' as string]: `${((at + 0.5) / slots.length) * 100}%` }}
            >
              <b>{label(slot)}</b>
              {shown.map((each) => (
                <span key={each.name}>
                  {series.length > 1 && <i style={{ background: each.colour }} />}
                  {each.name} <b>{textOf(each, slot)}</b>
                </span>
              ))}
              {compared && (
                <span>
                  <i className={classes.dashes} />
                  {compared.name} <b>{textBefore(at)}</b>
                </span>
              )}
              {to && (
                <Anchor component={Link} to={to} size="xs" className={classes.open ?? ''} tabIndex={-1}>
                  View
                </Anchor>
              )}
            </div>
          )}
          <div className={classes.labels} aria-hidden>
            {[slots[0], slots[Math.floor(slots.length / 2)], slots.at(-1)].map(
              (one, index) =>
                one !== undefined && <span key={[index, label(one)].join(' ')}>{label(one)}</span>,
            )}
          </div>
        </div>
      </div>
      {(series.length > 1 || before || hint) && (
        <div className={classes.legend}>
          {[
            ...(series.length > 1 || hint ? series : []),
            ...(before ? [{ name: before.short, colour: null }] : []),
          ].map(({ name, colour }) => (
            <UnstyledButton
              key={name}
              className={classes.key}
              aria-pressed={!hidden.includes(name)}
              onClick={() =>
                setHidden((old) => (old.includes(name) ? old.filter((one) => one !== name) : [...old, name]))
              }
            >
              <i {...(colour === null ? { className: classes.dashes } : { style: { background: colour } })} />
              <span title={name}>{name}</span>
            </UnstyledButton>
          ))}
          {hint && <span className={classes.hint}>{hint}</span>}
        </div>
      )}
    </div>
  )
}

function clamp(index: number, length: number): number {
  return Math.min(Math.max(index, 0), length - 1)
}

function sum<Slot>(series: Series<Slot>[], slot: Slot): number {
  return series.reduce((total, { of }) => total + of(slot), 0)
}

/** A line that is level over each slot. */
function steps(values: readonly number[], top: number): string {
  return values.map((value, at) => `${at === 0 ? 'M' : 'L'}${at} ${top - value}H${at + 1}`).join('')
}

/** 1, 2, 4, 6, 8, 10, 20, 30 …: an axis that ends on a round number, whose half is one too. */
function niceTop(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const steps = power >= 10 ? [1, 2, 3, 4, 6, 8, 10] : [1, 2, 4, 6, 8, 10]
  return steps.map((step) => step * power).find((step) => step >= value) ?? value
}
