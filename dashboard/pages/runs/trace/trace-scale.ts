import type { RunSpan } from '../../../contract.ts'
import { formatFixed } from '../../../ui/text/format-number.ts'

export type Interval = { from: number; to: number }

/** A part of the axis, in percent of the width. */
type Placed = { left: number; width: number }

export type Scale = {
  /** Null for what is out of view. */
  place: (fromMs: number, toMs: number) => Placed | null
  /** The moment at a place. */
  momentAt: (percent: number) => number
  /** Only those that have room for their words have them. */
  ticks: { words: string | null; left: number }[]
  /** Pauses that are drawn shorter than they were. */
  gaps: (Placed & { ms: number })[]
}

/** How much of the width a pause takes at most, compared to all the work. */
const pauseShare = 0.35
/** Of the drawn length: as many as have room for their words on a phone. */
const maxTicks = 7
const percentPerLetter = 1.9

/**
 * Maps moments to places on the axis that all bars share. A pause in which nothing works is drawn shorter than it was: beside an
 * hour of waiting, a request of 0.2 s would not be visible.
 */
export function makeScale(
  spans: readonly RunSpan[],
  endMs: number,
  view: Interval = { from: 0, to: endMs },
): Scale {
  const work = merge(
    spans
      .filter(({ kind }) => kind !== 'waiting' && kind !== 'pause')
      .map(({ atMs, ms }) => ({ from: atMs, to: ms === null ? endMs : atMs + ms }))
      .map(({ from, to }) => ({ from: Math.max(from, view.from), to: Math.min(to, view.to) }))
      .filter(({ from, to }) => to >= from),
  )
  const worked = sumOf(work)
  const longestPause = worked === 0 ? Number.POSITIVE_INFINITY : worked * pauseShare
  // Each piece of the time line, and how long it is drawn.
  const pieces: (Interval & { drawn: number; start: number })[] = []
  let at = view.from
  let drawnTo = 0
  const add = (to: number, limit: number) => {
    if (to <= at) return
    const drawn = Math.min(to - at, limit)
    pieces.push({ from: at, to, drawn, start: drawnTo })
    drawnTo += drawn
    at = to
  }
  for (const { from, to } of work) {
    add(from, longestPause)
    add(to, Number.POSITIVE_INFINITY)
  }
  add(view.to, longestPause)
  const whole = drawnTo || 1
  const at100 = (ms: number) => {
    const piece = pieces.find(({ to }) => ms <= to) ?? pieces.at(-1)
    if (!piece) return 0
    const part = Math.min(Math.max((ms - piece.from) / (piece.to - piece.from), 0), 1)
    return (100 * (piece.start + part * piece.drawn)) / whole
  }
  const momentAt = (percent: number) => {
    const drawn = (Math.min(Math.max(percent, 0), 100) * whole) / 100
    const piece = pieces.findLast(({ start }) => start <= drawn)
    return piece ? piece.from + ((drawn - piece.start) / piece.drawn) * (piece.to - piece.from) : view.from
  }
  const isShortened = ({ from, to, drawn }: (typeof pieces)[number]) => drawn < to - from
  const placed = (from: number, to: number) => ({ left: at100(from), width: at100(to) - at100(from) })
  const step = niceSteps.find((one) => one * maxTicks >= drawnTo) ?? dayMs
  // Two pieces share the moment between them.
  const moments = new Set(
    pieces.filter((piece) => !isShortened(piece)).flatMap(({ from, to }) => multiplesOf(step, from, to)),
  )
  const ticks = [...moments].map((ms) => ({ words: wordsOf(ms, step, view.to), left: at100(ms) }))
  const gaps = pieces.filter(isShortened).map(({ from, to }) => ({ ...placed(from, to), ms: to - from }))
  return {
    momentAt,
    place: (from, to) => (to < view.from || from > view.to ? null : placed(from, to)),
    ticks: leaveRoom(ticks, [...gaps.map(({ left }) => left), 100]),
    gaps,
  }
}

const dayMs = 86_400_000
const [second, minute, hour] = [1_000, 60_000, 3_600_000]
const niceSteps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 5, 10].map((count) => count * dayMs),
]

function multiplesOf(step: number, from: number, to: number): number[] {
  const first = Math.ceil(from / step)
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, at) => (first + at) * step)
}

/** All in the unit of the largest: `200 ms`, `1.5 s`, `1:06.2`, `2:00:00`. */
function wordsOf(ms: number, step: number, largest: number): string {
  if (largest < second) return `${ms} ms`
  const decimals = step >= second ? 0 : step >= 100 ? 1 : step >= 10 ? 2 : 3
  if (largest < minute) return `${formatFixed(ms / second, decimals)} s`
  const seconds = formatFixed((ms % minute) / second, decimals).padStart(decimals > 0 ? decimals + 3 : 2, '0')
  const minutes = Math.floor(ms / minute)
  if (largest < hour) return `${minutes}:${seconds}`
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${seconds}`
}

/** The words of a tick are at its right, up to where other words or the next pause begin. */
function leaveRoom(ticks: { words: string; left: number }[], others: number[]): Scale['ticks'] {
  let free = 0
  return ticks.map(({ words, left }) => {
    const end = left + (words.length + 1) * percentPerLetter
    const hasRoom = left >= free && others.every((other) => other <= left || other >= end)
    if (hasRoom) free = end
    return { words: hasRoom ? words : null, left }
  })
}

/** The time that these spans cover; what overlaps counts once. */
export function timeIn(spans: readonly RunSpan[], kinds: readonly RunSpan['kind'][], endMs: number): number {
  return sumOf(
    merge(
      spans
        .filter(({ kind }) => kinds.includes(kind))
        .map(({ atMs, ms }) => ({ from: atMs, to: Math.min(ms === null ? endMs : atMs + ms, endMs) })),
    ),
  )
}

function merge(intervals: Interval[]): Interval[] {
  const merged: Interval[] = []
  for (const next of intervals.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last && next.from <= last.to) last.to = Math.max(last.to, next.to)
    else merged.push({ ...next })
  }
  return merged
}

function sumOf(intervals: Interval[]): number {
  return intervals.reduce((sum, { from, to }) => sum + Math.max(to - from, 0), 0)
}
