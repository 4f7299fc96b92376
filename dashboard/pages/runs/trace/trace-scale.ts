import type { RunSpan } from '../../../contract.ts'

type Interval = { from: number; to: number }

/** A part of a bar, in percent of the width. */
export type Placed = { left: number; width: number }

/** How much of the width a pause takes at most, compared to all the work. */
const pauseShare = 0.35

/**
 * Maps moments to places on the axis that all bars share. A pause in which nothing works is drawn shorter than it was: beside an
 * hour of waiting, a request of 0.2 s would not be visible.
 */
export function makeScale(
  spans: readonly RunSpan[],
  endMs: number,
): (fromMs: number, toMs: number) => Placed {
  const work = merge(
    spans
      .filter(({ kind }) => kind !== 'waiting')
      .map(({ atMs, ms }) => ({ from: Math.max(atMs, 0), to: ms === null ? endMs : atMs + ms })),
  )
  const worked = sumOf(work)
  const longestPause = worked === 0 ? Number.POSITIVE_INFINITY : worked * pauseShare
  // Each piece of the time line, and how long it is drawn.
  const pieces: (Interval & { drawn: number; start: number })[] = []
  let at = 0
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
  add(endMs, longestPause)
  const whole = drawnTo || 1
  const place = (ms: number) => {
    const piece = pieces.find(({ to }) => ms <= to) ?? pieces.at(-1)
    if (!piece) return 0
    const part = Math.min(Math.max((ms - piece.from) / (piece.to - piece.from), 0), 1)
    return (100 * (piece.start + part * piece.drawn)) / whole
  }
  return (fromMs, toMs) => {
    const left = place(fromMs)
    return { left, width: place(toMs) - left }
  }
}

/** The time that these spans cover; what overlaps counts once. */
export function timeIn(spans: readonly RunSpan[], kinds: readonly RunSpan['kind'][], endMs: number): number {
  return sumOf(
    merge(
      spans
        .filter(({ kind }) => kinds.includes(kind))
        .map(({ atMs, ms }) => ({ from: atMs, to: ms === null ? endMs : atMs + ms })),
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
